import { useData } from 'vitepress'
import { defineComponent, h, onMounted, ref, useId, watch } from 'vue'

/** Draws a diagram in the browser; until then, and without scripts, its text is shown. */
export const Mermaid = defineComponent({
  props: { code: { type: String, required: true } },
  setup({ code }) {
    const text = decodeURIComponent(code)
    const svg = ref('')
    const id = `mermaid-${useId()}`
    const { isDark } = useData()
    const draw = async () => {
      const { default: mermaid } = await import('mermaid')
      mermaid.initialize({ startOnLoad: false, theme: isDark.value ? 'dark' : 'neutral' })
      svg.value = (await mermaid.render(id, text)).svg
    }
    onMounted(draw)
    watch(isDark, draw)
    return () => (svg.value === '' ? h('pre', text) : h('div', { class: 'mermaid', innerHTML: svg.value }))
  },
})
