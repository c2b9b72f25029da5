// `npm run conformance SUITE`: runs an upstream project's test suite against undock and writes the results to docs/conformance.md.
// Fails if a case fails without a known reason.
import { parseArgs } from 'node:util'
import { checkout, versionOf } from './checkout.ts'
import { functions } from './functions.ts'
import { writePage } from './page.ts'
import { postgrest } from './postgrest.ts'
import { realtime } from './realtime.ts'
import { record, summarize } from './results.ts'
import { storage } from './storage.ts'
import type { Suite } from './suite.ts'
import { authJs, postgrestJs, storageJs, supabaseJs } from './supabase-js.ts'

const SUITES: Readonly<Record<string, Suite>> = {
  postgrest,
  storage,
  realtime,
  functions,
  'auth-js': authJs,
  'postgrest-js': postgrestJs,
  'storage-js': storageJs,
  'supabase-js': supabaseJs,
}

const usage = `Usage: npm run conformance -- ${Object.keys(SUITES).join('|')} [--source DIR] [--nodes NUMBER] [--only TEXT]`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    source: { type: 'string' },
    nodes: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
const [name = ''] = positionals
const { source, only } = values
const suite = Object.hasOwn(SUITES, name) ? SUITES[name] : undefined
const nodes = values.nodes === undefined ? null : Number(values.nodes)
if (!suite || (nodes !== null && !(nodes > 0 && suite.onNodes))) {
  console.error(usage)
  if (suite && !suite.onNodes) console.error(`${name} cannot be run against nodes.`)
  process.exit(2)
}
const { repository, tag } = suite.upstream
const place = nodes === null ? 'native' : `${nodes} nodes`
const folder = await checkout(suite.upstream, source)
const { unexplained, ...summary } = summarize(name, await suite.run(folder, { nodes, only }))
if (summary.cases === 0) {
  console.error(
    only === '' ? `The suite in ${folder} has no cases.` : `No file of the suite has "${only}" in its path.`,
  )
  process.exit(1)
}
for (const miss of unexplained) console.log(`- ${miss}`)
for (const [reason, names] of Object.entries(summary.misses))
  console.log(`Do not hold (${names.length}): ${reason}\n${names.map((one) => `- ${one}`).join('\n')}`)
for (const [reason, count] of Object.entries(summary.leftOut)) console.log(`Left out (${count}): ${reason}`)
console.log(
  `${name} on ${place}: ${summary.held} of ${summary.cases} cases hold, ${unexplained.length} misses have no reason`,
)

if (unexplained.length === 0 && only === '') {
  const date = new Date().toISOString().slice(0, 10)
  await writePage(
    await record({ suite: name, repository, version: versionOf(folder, tag), engine: place, date, ...summary }),
  )
}
process.exit(unexplained.length === 0 ? 0 : 1)
