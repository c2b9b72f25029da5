// `npm run conformance postgrest`: runs the test suite of a service's upstream project against a running stack.
import { parseArgs } from 'node:util'
import { runPostgrest } from './postgrest.ts'
import { renderReport } from './report.ts'

const SUITES = { postgrest: runPostgrest }

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { source: { type: 'string' }, engine: { type: 'string', default: 'native' }, only: { type: 'string' } },
})
const [name = ''] = positionals
const { source, engine, only } = values
if (!Object.hasOwn(SUITES, name) || (engine !== 'native' && engine !== 'pglite')) {
  console.error(
    `Usage: npm run conformance -- ${Object.keys(SUITES).join('|')} [--source DIR] [--engine native|pglite] [--only TEXT]`,
  )
  process.exit(2)
}
const report = await SUITES[name as keyof typeof SUITES]({ source, engine, only })
console.log(renderReport(report))
