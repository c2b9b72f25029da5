import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { table } from '../../bench/table.ts'
import type { Result } from './results.ts'

const FILE = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url))

const INTRODUCTION = `# Conformance

Upstream's own test suites, run against a stack, or against nodes of \`undock serve\` behind a balancer that sends each request to the
next node. \`npm run conformance SUITE\` writes this page ([how it works](../tests/conformance/README.md)), and fails if a case fails
without a known reason. The client libraries' suites include tests that need no server.`

const NOT_RUN = `## Suites that are not run

| suite | why |
|---|---|
| pg_graphql's regression tests | undock has no \`/graphql/v1\` yet |
| functions-js | its tests start Supabase's relay in Docker; [functions](compatibility/functions.md) says what was tried manually |
| realtime-js, and the unit tests of supabase-js | they need no server |
| postgres-meta | its tests call its functions on plain Postgres as a superuser; \`/pg\` runs the package unchanged |
| the unit tests of auth, storage and realtime | they call the service's code, not a server |`

/** Writes the page that shows the latest result of each suite on each engine. */
export async function writePage(results: readonly Result[]): Promise<void> {
  const rows = results.map((result) => [
    result.suite,
    `${result.repository} ${result.version}`,
    result.engine,
    result.date,
    String(result.cases),
    String(result.held),
    String(sum(Object.values(result.leftOut))),
    String(sum(Object.values(result.misses).map(({ length }) => length))),
  ])
  const head = ['suite', 'version', 'engine', 'date', 'cases', 'pass', 'skipped', 'fail']
  const sections = [INTRODUCTION, table(head, rows), ...results.flatMap(section), NOT_RUN]
  await writeFile(FILE, `${sections.join('\n\n')}\n`)
}

/** The failures and skipped cases of one suite; nothing if everything passes. */
function section({ suite, engine, leftOut, misses }: Result): string[] {
  const lines = [
    ...Object.entries(leftOut).map(([reason, count]) => `${casesAre(count, 'skipped')}: ${reason}.`),
    ...Object.entries(misses).map(
      ([reason, names]) =>
        `${casesFail(names.length)}: ${reason}.\n\n${names.map((name) => `- ${code(name)}`).join('\n')}`,
    ),
  ]
  return lines.length === 0 ? [] : [`## ${suite} on ${engine}`, ...lines]
}

const casesAre = (count: number, state: string): string =>
  count === 1 ? `1 case is ${state}` : `${count} cases are ${state}`

const casesFail = (count: number): string => (count === 1 ? '1 case fails' : `${count} cases fail`)

const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
