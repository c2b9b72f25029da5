// `npm run bench [names]`: measures the services side by side with their peers, and writes docs/benchmarks.md; with names, only
// their sections.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runBenches } from './page.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const PAGE = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url))

if (!existsSync(`${here}node_modules`)) {
  console.log('Installing the peers to measure against (npm install in bench) …')
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: here,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(1)
}

const BENCHES = {
  rest: {
    title: 'Data API, requests a second, 1,000 rows',
    run: async () => (await import('./rest.ts')).benchRest(),
  },
  auth: {
    title: 'Auth, requests a second with 16 connections',
    run: async () => (await import('./auth.ts')).benchAuth(),
  },
  growth: { title: 'Data API, growing', run: async () => (await import('./rest-growth.ts')).benchGrowth() },
  durable: {
    title: 'What `durable = true` costs, rows inserted a second',
    run: async () => (await import('./durable.ts')).benchDurable(),
  },
  pgbench: { title: 'The database port, pgbench', run: async () => (await import('./pgbench.ts')).benchPgbench() },
  timeline: {
    title: 'What the timeline costs, reads by key',
    run: async () => (await import('./timeline.ts')).benchTimeline(),
  },
  stacks: { title: 'Stacks of test workers', run: async () => (await import('./stacks.ts')).benchStacks() },
  realtime: {
    title: 'Realtime, clients in a second process',
    run: async () => (await import('./realtime.ts')).benchRealtime(),
  },
  storage: { title: 'Storage', run: async () => (await import('./storage.ts')).benchStorage() },
  functions: {
    title: 'Edge functions, milliseconds of a call',
    run: async () => (await import('./functions.ts')).benchFunctions(),
  },
  console: { title: 'The console in Chromium', run: async () => (await import('./console.ts')).benchConsole() },
}

await runBenches(BENCHES, process.argv.slice(2), PAGE)
