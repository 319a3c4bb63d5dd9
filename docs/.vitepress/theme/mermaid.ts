import source from '@mermaid-js/tiny/dist/mermaid.tiny.js?url'
import { useData } from 'vitepress'
import { defineComponent, h, onMounted, ref, useId, watch } from 'vue'

/** What is used of Mermaid, which is one script without modules and comes without types. */
interface Drawing {
  initialize(options: object): void
  render(id: string, text: string): Promise<{ svg: string }>
}

let loading: Promise<Drawing> | undefined

/** Loads the script with the first diagram of a visit. */
const load = (): Promise<Drawing> => {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = source
    script.onload = () => resolve((globalThis as unknown as { mermaid: Drawing }).mermaid)
    script.onerror = reject
    document.head.append(script)
  })
  return loading
}

/** Draws a diagram in the browser; until then, and without scripts, its text is shown. */
export const Mermaid = defineComponent({
  props: { code: { type: String, required: true } },
  setup({ code }) {
    const text = decodeURIComponent(code)
    const svg = ref('')
    const id = `mermaid-${useId()}`
    const { isDark } = useData()
    const draw = async () => {
      const mermaid = await load()
      // Labels of HTML would be measured outside of the page's styles, and cut off within them.
      mermaid.initialize({
        startOnLoad: false,
        theme: isDark.value ? 'dark' : 'neutral',
        htmlLabels: false,
        // As large as they are drawn, and so narrow that most fit beside the outline.
        sequence: { useMaxWidth: false, width: 110, actorMargin: 20, wrap: true },
        flowchart: { useMaxWidth: false },
        state: { useMaxWidth: false },
      })
      svg.value = (await mermaid.render(id, text)).svg
    }
    onMounted(draw)
    watch(isDark, draw)
    return () => (svg.value === '' ? h('pre', text) : h('div', { class: 'mermaid', innerHTML: svg.value }))
  },
})
