import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { CHROMIUM } from '../support/chromium.ts'
import { freePort } from '../support/project.ts'
import { publishRelease, type Registry, type Stranger } from './registry.ts'

// `npm create undock` in common kinds of project: each project's page shows a row from its backend, which `npm run dev` starts in
// Vite projects.

let registry: Registry
let browser: Browser
let stranger: Stranger | null = null
const servers: ChildProcess[] = []

beforeAll(async () => {
  registry = await publishRelease()
  browser = await chromium.launch(CHROMIUM)
})
afterEach(async () => {
  for (const server of servers.splice(0)) {
    if (!server.pid || server.exitCode !== null) continue
    const exit = once(server, 'exit')
    process.kill(-server.pid, 'SIGTERM')
    await exit
  }
  await stranger?.run('npx', ['undock', 'stop'])
  await stranger?.leave()
  stranger = null
})
afterAll(async () => {
  await browser?.close()
  await registry?.stop()
})

type Starter = {
  readonly name: string
  /** The framework's command that creates the project in this folder; without one, `files` are all of it. */
  readonly command?: readonly [string, ...string[]]
  readonly files: Readonly<Record<string, string>>
  /** Whether `npm run dev` starts the backend. */
  readonly hasPlugin?: true
  /** The port option of `npm run dev`. */
  readonly port: (port: number) => readonly string[]
}

const viteFlags = (port: number) => ['--', '--port', String(port), '--host', '127.0.0.1']

/** A page's script that shows a row. @param env The expression for URL and key. */
const script = (url: string, key: string): string => `
  const answer = await fetch(${url} + '/rest/v1/greetings?select=text', { headers: { apikey: ${key} } })
  const [row] = await answer.json()`
const inVite = (prefix: string): string =>
  `${script(`import.meta.env.${prefix}SUPABASE_URL`, `import.meta.env.${prefix}SUPABASE_PUBLISHABLE_KEY`)}
  document.body.textContent = row.text`

const STARTERS: readonly Starter[] = [
  ...[
    ['react-ts', 'src/main.tsx'],
    ['vue-ts', 'src/main.ts'],
    ['svelte-ts', 'src/main.ts'],
    ['vanilla', 'src/main.js'],
  ].map(
    ([template = '', main = '']): Starter => ({
      name: `Vite, ${template}`,
      command: ['npm', 'create', '--yes', 'vite@latest', '.', '--', '--template', template, '--no-interactive'],
      files: { [main]: `${inVite('VITE_')}\nexport {}\n` },
      hasPlugin: true,
      port: viteFlags,
    }),
  ),
  {
    name: 'SvelteKit',
    command: [
      'npx',
      '--yes',
      'sv@latest',
      'create',
      '.',
      '--template',
      'minimal',
      '--types',
      'ts',
      '--no-add-ons',
      '--no-install',
    ],
    files: {
      'src/routes/+page.svelte': `<script>let { data } = $props()</script><p>{data.text}</p>`,
      'src/routes/+page.ts': `import { PUBLIC_SUPABASE_URL, PUBLIC_SUPABASE_PUBLISHABLE_KEY } from '$env/static/public'
export const load = async ({ fetch }) => {${script('PUBLIC_SUPABASE_URL', 'PUBLIC_SUPABASE_PUBLISHABLE_KEY')}
  return row
}`,
    },
    hasPlugin: true,
    port: viteFlags,
  },
  {
    name: 'React Router',
    files: {
      'package.json': manifest(
        'react-router dev',
        ['react', 'react-dom', 'react-router', '@react-router/node', 'isbot'],
        ['vite', '@react-router/dev'],
      ),
      'vite.config.ts': `import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [reactRouter()],
})
`,
      'app/root.tsx': `import { Outlet, Scripts } from 'react-router'
export default function Root() {
  return <html lang="en"><body><Outlet /><Scripts /></body></html>
}`,
      'app/routes.ts': `import { index } from '@react-router/dev/routes'
export default [index('home.tsx')]`,
      'app/home.tsx': `export async function loader() {${script('process.env.SUPABASE_URL', 'process.env.SUPABASE_PUBLISHABLE_KEY')}
  return row
}
export default ({ loaderData }) => <p>{loaderData.text}</p>`,
    },
    hasPlugin: true,
    port: viteFlags,
  },
  {
    name: 'Astro',
    files: {
      'package.json': manifest('astro dev', ['astro'], []),
      'src/pages/index.astro': `---${script('import.meta.env.PUBLIC_SUPABASE_URL', 'import.meta.env.PUBLIC_SUPABASE_PUBLISHABLE_KEY')}
---
<p>{row.text}</p>`,
    },
    port: viteFlags,
  },
  {
    name: 'Nuxt',
    files: {
      'package.json': manifest('nuxt dev', ['nuxt', 'vue'], []),
      'nuxt.config.ts': `export default defineNuxtConfig({
  telemetry: false,
  runtimeConfig: { public: { supabaseUrl: '', supabasePublishableKey: '' } },
})`,
      'app.vue': `<script setup>
const { supabaseUrl, supabasePublishableKey } = useRuntimeConfig().public
const { data } = await useFetch(supabaseUrl + '/rest/v1/greetings?select=text', { headers: { apikey: supabasePublishableKey } })
</script>
<template><p>{{ data[0].text }}</p></template>`,
    },
    port: viteFlags,
  },
  {
    name: 'Next.js',
    command: [
      'npx',
      '--yes',
      'create-next-app@latest',
      '.',
      '--yes',
      '--ts',
      '--app',
      '--no-src-dir',
      '--no-tailwind',
      '--no-linter',
      '--skip-install',
      '--disable-git',
    ],
    files: {
      // The starter's layout downloads fonts.
      'app/layout.tsx':
        'export default ({ children }: { children: React.ReactNode }) => <html lang="en"><body>{children}</body></html>',
      'app/page.tsx': `export default async function Page() {${script('process.env.NEXT_PUBLIC_SUPABASE_URL!', 'process.env.NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY!')}
  return <p>{row.text}</p>
}`,
    },
    port: (port) => ['--', '--port', String(port), '--hostname', '127.0.0.1'],
  },
]

function manifest(dev: string, dependencies: readonly string[], devDependencies: readonly string[]): string {
  const latest = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'latest']))
  return JSON.stringify({
    private: true,
    type: 'module',
    scripts: { dev },
    dependencies: latest(dependencies),
    devDependencies: latest(devDependencies),
  })
}

async function configOnFreePorts(): Promise<string> {
  const ports = await Promise.all(
    ['api', 'db', 'studio', 'local_smtp'].map(async (part) => `[${part}]\nport = ${await freePort()}\n`),
  )
  return `project_id = "app"\n${ports.join('')}`
}

const MIGRATION = `create table public.greetings (text text primary key);
alter table public.greetings enable row level security;
create policy "all read" on public.greetings for select using (true);
insert into public.greetings values ('Good morning');`

test.for(STARTERS)('$name', async ({ command, files, hasPlugin, port: flags }) => {
  const one = await registry.stranger('app')
  stranger = one
  if (command) {
    const made = await one.run(command[0], command.slice(1), { CI: 'true' })
    expect(made.code, made.said).toBe(0)
  }
  await one.write(files)
  // The default ports may be in use.
  await one.write({ 'supabase/config.toml': await configOnFreePorts() })
  const created = await one.run('npm', ['create', '--yes', 'undock', '.'])
  expect(created.code, created.said).toBe(0)
  const again = await one.run('npm', ['create', '--yes', 'undock', '.', '--', '--no-install'])
  expect(again.said).toContain('It has all of it already.')
  await one.write({
    'supabase/migrations/20260101000000_greetings.sql': MIGRATION,
    'supabase/undock.toml': '',
  })
  if (!hasPlugin) {
    const started = await one.run('npx', ['undock', 'start', '--detach', '--exclude', 'functions'])
    expect(started.code, started.said).toBe(0)
  }
  const port = await freePort()
  const server = spawn('npm', ['run', 'dev', ...flags(port)], {
    cwd: one.folder,
    env: { ...one.env, ASTRO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  servers.push(server)
  let said = ''
  for (const output of [server.stdout, server.stderr]) output.setEncoding('utf8').on('data', (text) => (said += text))
  const page = await browser.newPage()
  await expect
    .poll(
      () =>
        page
          .goto(`http://127.0.0.1:${port}/`)
          .then(() => page.textContent('body'))
          .catch(String),
      { timeout: 120_000 },
    )
    .toContain('Good morning')
    .catch((error) => {
      throw new Error(`${error.message}\n${said}`)
    })
  await page.close()
})

test('Expo gets its variables', async () => {
  const one = await registry.stranger('app')
  await one.write({
    'package.json': JSON.stringify({
      private: true,
      scripts: { start: 'expo start' },
      dependencies: { expo: 'latest' },
    }),
  })
  const created = await one.run('npm', ['create', '--yes', 'undock', '.', '--', '--no-install'])
  expect(created.code, created.said).toBe(0)
  expect((await one.run('cat', [join(one.folder, '.env.local')])).said).toMatch(/^EXPO_PUBLIC_SUPABASE_URL=http/m)
})
