import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { Mermaid } from './mermaid.ts'
import './wide.css'

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Mermaid', Mermaid),
} satisfies Theme
