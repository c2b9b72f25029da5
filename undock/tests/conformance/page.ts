import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { table } from '../../bench/table.ts'
import type { Result } from './results.ts'

const FILE = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url))

const INTRODUCTION = `# Conformance

Upstream's own test suites, run against a stack, or against nodes of \`undock serve\` behind a balancer that gives each request to the
next node. Written by \`npm run conformance SUITE\`
([how it works](../tests/conformance/README.md)); the command fails when a case does not hold and no reason is known.
The suites of the client libraries include tests that need no server.`

const NOT_RUN = `## Suites that are not run

| suite | why |
|---|---|
| pg_graphql's regression tests | undock has no \`/graphql/v1\` yet |
| functions-js | its tests start Supabase's relay in Docker; [functions](compatibility/functions.md) says what was tried by hand |
| realtime-js, and the unit tests of supabase-js | they talk to no server |
| postgres-meta | its tests call its own functions on a bare Postgres, as a superuser; \`/pg\` runs that package unchanged |
| the unit tests of auth, storage and realtime | they call the service's own code, not a server |`

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
  const head = ['suite', 'version', 'engine', 'date', 'cases', 'hold', 'left out', 'do not hold']
  const sections = [INTRODUCTION, table(head, rows), ...results.flatMap(section), NOT_RUN]
  await writeFile(FILE, `${sections.join('\n\n')}\n`)
}

/** What does not hold in one suite; nothing when everything holds. */
function section({ suite, engine, leftOut, misses }: Result): string[] {
  const lines = [
    ...Object.entries(leftOut).map(([reason, count]) => `${casesAre(count, 'left out')}: ${reason}.`),
    ...Object.entries(misses).map(
      ([reason, names]) =>
        `${casesDoNotHold(names.length)}: ${reason}.\n\n${names.map((name) => `- ${code(name)}`).join('\n')}`,
    ),
  ]
  return lines.length === 0 ? [] : [`## ${suite} on ${engine}`, ...lines]
}

const casesAre = (count: number, state: string): string =>
  count === 1 ? `1 case is ${state}` : `${count} cases are ${state}`

const casesDoNotHold = (count: number): string => (count === 1 ? '1 case does not hold' : `${count} cases do not hold`)

const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
