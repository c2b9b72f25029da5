// `npm run bench`: measures Carrel and writes docs/benchmarks.md. `npm run bench NAMES` prints only these sections.
import { delimiter, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Benches, installTools, runBenches } from '../../undock/bench/page.ts'

const PAGE = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url))

const BENCHES: Benches = {
  start: { title: "Start, with Carrel's project", run: async () => (await import('./start.ts')).benchStart() },
  retrieval: {
    title: 'Quality of search on a test collection',
    run: async () => (await import('./retrieval.ts')).benchRetrieval(),
  },
  reading: {
    title: 'Reading the files of a folder',
    run: async () => (await import('./reading.ts')).benchReading(),
  },
  asking: {
    title: 'Ask without a language model on real manuals',
    run: async () => (await import('./asking.ts')).benchAsking(),
  },
  mixed: {
    title: 'Search and Ask in a library of five languages',
    run: async () => (await import('./asking.ts')).benchMixed(),
  },
  app: {
    title: 'The built app in Chromium',
    run: async () => {
      installTools(fileURLToPath(new URL('.', import.meta.url)), 'Lighthouse')
      return (await import('./app.ts')).benchApp()
    },
  },
  carrel: { title: 'The database and the functions', run: async () => (await import('./carrel.ts')).benchCarrel() },
}

// Names of folders are for `retrieval` and `reading`.
const isFolder = (word: string) => word.includes('/')
const folders = process.argv.slice(2).filter(isFolder)
if (folders.length > 0) process.env.COLLECTIONS = folders.map((folder) => resolve(folder)).join(delimiter)
const names = process.argv.slice(2).filter((word) => !isFolder(word))
await runBenches(BENCHES, names, PAGE)
