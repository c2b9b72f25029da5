// `npm run bench [names]`: measures side by side in one run and writes docs/benchmarks.md; with names, only their sections.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const OUTPUT = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url))

if (!existsSync(`${here}node_modules`)) {
  console.log('Installing the peers to measure against (npm install in tests/bench) …')
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: here,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(1)
}

const BENCHES: Readonly<Record<string, { title: string; run(): Promise<string> }>> = {
  rest: {
    title: 'Data API, requests a second, 1,000 rows',
    run: async () => (await import('./rest.ts')).benchRest(),
  },
  auth: {
    title: 'Auth, requests a second with 16 connections',
    run: async () => (await import('./auth.ts')).benchAuth(),
  },
  growth: {
    title: 'Data API, growing',
    run: async () => (await import('./rest-growth.ts')).benchGrowth(),
  },
  durable: {
    title: 'What `durable = true` costs, rows inserted a second',
    run: async () => (await import('./durable.ts')).benchDurable(),
  },
  pgbench: {
    title: 'The database port, pgbench',
    run: async () => (await import('./pgbench.ts')).benchPgbench(),
  },
  timeline: {
    title: 'What the timeline costs, reads by key',
    run: async () => (await import('./timeline.ts')).benchTimeline(),
  },
  start: { title: 'Start', run: async () => (await import('./start.ts')).benchStart() },
  stacks: {
    title: 'Stacks of test workers',
    run: async () => (await import('./stacks.ts')).benchStacks(),
  },
  realtime: {
    title: 'Realtime, clients in a second process',
    run: async () => (await import('./realtime.ts')).benchRealtime(),
  },
  storage: { title: 'Storage', run: async () => (await import('./storage.ts')).benchStorage() },
  retrieval: {
    title: 'Carrel, quality of search on a test collection',
    run: async () => (await import('./retrieval.ts')).benchRetrieval(),
  },
  asking: {
    title: 'Carrel, Ask without a language model on real manuals',
    run: async () => (await import('./asking.ts')).benchAsking(),
  },
  functions: {
    title: 'Edge functions, milliseconds of a call',
    run: async () => (await import('./functions.ts')).benchFunctions(),
  },
  app: { title: 'Carrel, the built app in Chromium', run: async () => (await import('./app.ts')).benchApp() },
  console: {
    title: 'The console in Chromium',
    run: async () => (await import('./console.ts')).benchConsole(),
  },
  carrel: { title: 'Carrel', run: async () => (await import('./carrel.ts')).benchCarrel() },
}

// A folder among the names is the collection that `retrieval` measures.
const folder = process.argv.slice(2).find((word) => word.includes('/'))
if (folder) process.env.COLLECTION = resolve(folder)
const asked = process.argv.slice(2).filter((word) => word !== folder)
const names = asked.length > 0 ? asked : Object.keys(BENCHES)
const today = new Date().toLocaleDateString('en-GB', { dateStyle: 'long' })
for (const name of names) {
  const bench = BENCHES[name]
  if (!bench) throw new Error(`There is no benchmark "${name}". There are: ${Object.keys(BENCHES).join(', ')}`)
  console.log(`Measuring: ${bench.title} …`)
  try {
    const section = `## ${bench.title}\n\nMeasured on ${today}.\n\n${await bench.run()}\n`
    console.log(`\n${section}`)
    writeSection(bench.title, section)
  } catch (error) {
    // The other measurements are still useful.
    process.exitCode = 1
    console.error(`Not measured: ${error instanceof Error ? error.message : error}`)
  }
}
console.log('docs/benchmarks.md is written.')

/** Replaces the section of this title, and keeps the order above. */
function writeSection(title: string, section: string): void {
  const written = new Map(
    readFileSync(OUTPUT, 'utf8')
      .split(/^(?=## )/m)
      .slice(1)
      .map((text) => [text.slice(3, text.indexOf('\n')), text.trimEnd()]),
  )
  written.set(title, section.trimEnd())
  const machine = `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
  const sections = Object.values(BENCHES).flatMap((bench) => written.get(bench.title) ?? [])
  writeFileSync(
    OUTPUT,
    `# Benchmarks\n\nWritten by \`npm run bench\`: each section side by side in one run, medians of several rounds, on ${machine}. Compare the columns; the absolute figures are the machine's.\n\n${sections.join('\n\n')}\n`,
  )
}
