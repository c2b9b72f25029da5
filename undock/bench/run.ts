// `npm run bench`: measures the services side by side with their peers, and writes
// docs/benchmarks.md. `npm run bench NAMES` prints the named sections only.
import { fileURLToPath } from 'node:url'
import { type Benches, installTools, runBenches } from './page.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const PAGE = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url))

installTools(here, 'the peers to measure against')

const BENCHES: Benches = {
  rest: {
    title: 'Data API, requests a second, 1,000 rows',
    run: async () => (await import('./rest.ts')).benchRest(),
  },
  auth: {
    title: 'Auth, requests a second with 16 connections',
    run: async () => (await import('./auth.ts')).benchAuth(),
  },
  growth: { title: 'Data API, growing', run: async () => (await import('./rest-growth.ts')).benchGrowth() },
  pgbench: {
    title: 'The database port, pgbench',
    run: async () => (await import('./pgbench.ts')).benchPgbench(),
  },
  timeline: {
    title: 'What the timeline costs, reads by key',
    run: async () => (await import('./timeline.ts')).benchTimeline(),
  },
  stacks: {
    title: 'Stacks of test workers',
    run: async () => (await import('./stacks.ts')).benchStacks(),
  },
  realtime: {
    title: 'Realtime, clients in a second process',
    run: async () => (await import('./realtime.ts')).benchRealtime(),
  },
  storage: { title: 'Storage', run: async () => (await import('./storage.ts')).benchStorage() },
  functions: {
    title: 'Edge functions, milliseconds of a call',
    run: async () => (await import('./functions.ts')).benchFunctions(),
  },
  nodes: {
    title: 'Nodes of `undock serve` before one database',
    run: async () => (await import('./nodes.ts')).benchNodes(),
  },
  console: {
    title: 'The console in Chromium',
    run: async () => (await import('./console.ts')).benchConsole(),
  },
}

await runBenches(BENCHES, process.argv.slice(2), PAGE)
