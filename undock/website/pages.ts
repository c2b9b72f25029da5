import { join } from 'node:path'
import type { DefaultTheme } from 'vitepress'

type Item = DefaultTheme.SidebarItem

const page = (text: string, link: string): Item => ({ text, link })

/** The sidebar. A Markdown file that isn't listed here isn't a page of the site. */
export const SIDEBAR: Item[] = [
  {
    text: 'Get started',
    items: [
      page('Five minutes', '/guide/start'),
      page('From Docker', '/guide/from-docker'),
      page('Compare', '/guide/compare'),
      page('Overview', '/overview'),
    ],
  },
  {
    text: 'Guides',
    items: [
      page('Continuous integration', '/guide/ci'),
      page('Vitest and Playwright', '/guide/tests'),
      page('Worktrees and agents', '/guide/agents'),
      page('Two agents', '/docs/guides/two-agents'),
      page('Rehearse a deployment', '/docs/guides/rehearse'),
      page('Deploy to a local project', '/docs/guides/hosted'),
      page('Monorepos', '/guide/monorepos'),
      page('Many backends', '/docs/platforms'),
      page('A safe copy of production', '/guide/production-data'),
      page('Offline and behind proxies', '/guide/offline'),
      page('Windows', '/guide/windows'),
      page('How we test', '/guide/how-we-test'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Commands', '/reference/commands'),
      page('undock.toml', '/reference/undock-toml'),
      page('config.toml', '/reference/config-toml'),
      page('Environment variables', '/reference/environment'),
      page('Library', '/reference/library'),
      page('Import', '/docs/import'),
      page('Several nodes', '/docs/serve'),
      page('Routes', '/docs/routes'),
    ],
  },
  {
    text: 'What works',
    items: [
      page('Everything, by subject', '/docs/compatibility/'),
      page('Data API', '/docs/compatibility/rest'),
      page('Auth', '/docs/compatibility/auth'),
      page('Storage', '/docs/compatibility/storage'),
      page('Realtime', '/docs/compatibility/realtime'),
      page('Edge functions', '/docs/compatibility/functions'),
      page('Mail', '/docs/compatibility/mail'),
      page('Console', '/docs/compatibility/console'),
      page('Database', '/docs/compatibility/database'),
      page('Engine and tests', '/docs/compatibility/engines'),
      page('Database port', '/docs/compatibility/wire'),
      page('Supabase CLI', '/docs/compatibility/cli'),
      page('config.toml', '/docs/compatibility/config'),
      page('Gateway', '/docs/compatibility/gateway'),
      page('Public projects', '/docs/compatibility/projects'),
      page('Security', '/docs/compatibility/security'),
      page('Conformance', '/docs/conformance'),
    ],
  },
  {
    text: 'Internals',
    items: [
      page('Benchmarks', '/docs/benchmarks'),
      page('On bare systems', '/docs/strangers'),
      page('Performance', '/docs/performance'),
      page('Scale', '/docs/scale'),
      page('Architecture', '/architecture'),
      page('Decisions', '/docs/decisions/'),
      page('Dependencies', '/docs/dependencies'),
    ],
  },
]

/** Paths on the site of Markdown files that aren't at their own path. */
export const REWRITES: Readonly<Record<string, string>> = {
  'README.md': 'overview.md',
  'ARCHITECTURE.md': 'architecture.md',
  'docs/compatibility.md': 'docs/compatibility/index.md',
  'docs/decisions/README.md': 'docs/decisions/index.md',
}

/** @param file Relative to the folder of undock. @returns its address, as links on the site have it. */
export function addressOf(file: string): string {
  const place = REWRITES[file] ?? file.replace(/^website\//, '')
  return `/${place.replace(/(?:^|(?<=\/))index\.md$/, '').replace(/\.md$/, '')}`
}

/** The file of a page, by the address that `addressOf` makes of it. */
export function fileOf(address: string): string {
  const place = `${address.slice(1)}${/(?:^|\/)$/.test(address) ? 'index' : ''}.md`
  const [known] = Object.entries(REWRITES).find(([, rewritten]) => rewritten === place) ?? []
  const isOwn = /^(?:guide|reference)\//.test(place) || place === 'index.md'
  return join(import.meta.dirname, '..', known ?? (isOwn ? `website/${place}` : place))
}

/** Markdown that isn't on the site: it explains a folder to contributors. */
export const NO_PAGES = [
  'bench',
  'console',
  'examples',
  'native',
  'packages',
  'scripts',
  'src',
  'tests',
  'action',
  'website/dist',
].map((folder) => `${folder}/**`)
