import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import FrontPage from './FrontPage.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('FrontPage', FrontPage),
} satisfies Theme
