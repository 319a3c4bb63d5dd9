import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { Mermaid } from './mermaid.ts'

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Mermaid', Mermaid),
} satisfies Theme
