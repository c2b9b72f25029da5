import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitepress'
import { readMarkdown } from '../markdown.ts'
import { NO_PAGES, REWRITES, SIDEBAR } from '../pages.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Pages outside the site's folder have no `node_modules` with Vue above them: browsers get the site's Vue, and Node, which renders
 *  them, imports it from the output folder. */
const vueForAllPages: Plugin = {
  name: 'vue-for-all-pages',
  enforce: 'pre',
  resolveId(id, importer, { ssr = false }) {
    if (!/^vue(?:\/|$)/.test(id)) return null
    if (ssr) return { id, external: true }
    const isOutside = importer !== undefined && !importer.startsWith(here('..'))
    return isOutside ? this.resolve(id, here('../pages.ts'), { skipSelf: true }) : null
  },
}

export default defineConfig({
  title: 'undock',
  description: 'The Supabase backend on one machine, in one command, without Docker',
  lang: 'en',
  base: process.env.SITE_BASE ?? '/',
  srcDir: '..',
  srcExclude: NO_PAGES,
  outDir: './dist',
  rewrites: { ...REWRITES, 'website/:slug*': ':slug*' },
  cleanUrls: true,
  // Pages are small, so don't use the reader's network ahead.
  router: { prefetchLinks: false },
  markdown: {
    config: readMarkdown,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON())}` }]],
  themeConfig: {
    sidebar: SIDEBAR,
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Start', link: '/guide/start' },
      { text: 'Commands', link: '/reference/commands' },
      { text: 'What works', link: '/docs/compatibility/' },
      { text: 'Compare', link: '/guide/compare' },
    ],
  },
  vite: {
    publicDir: here('../public'),
    // esbuild knows no target of the year that undock's own configuration names.
    esbuild: { target: 'es2022', tsconfigRaw: '{}' },
    plugins: [vueForAllPages],
  },
})

function ICON(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0f766e"/><path d="M9 8v9a7 7 0 0 0 14 0V8" fill="none" stroke="#fff" stroke-width="4"/></svg>`
}
