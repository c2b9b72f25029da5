import { readProjectConfig } from '../../config/project.ts'
import {
  type Category,
  type Finding,
  LEVELS,
  type Level,
  READ_CATALOG,
  readAdvisors,
} from '../../project-tools/advisors/index.ts'
import {
  type ADVISOR_LEVELS,
  type ADVISOR_TYPES,
  type BackendOptions,
  type FAILING_LEVELS,
  findWorkdir,
} from '../arguments.ts'
import { withClient } from '../database-target.ts'
import { tableOf } from '../report.ts'
import { findDatabase } from '../running.ts'

type AdvisorsOptions = BackendOptions & {
  readonly type: (typeof ADVISOR_TYPES)[number]
  readonly level: (typeof ADVISOR_LEVELS)[number]
  readonly failOn: (typeof FAILING_LEVELS)[number]
  readonly dbUrl?: string
  readonly output: 'pretty' | 'json'
}

/** `undock advisors`: prints common security and performance problems. Options and JSON are those of
 *  `supabase db advisors`.
 *  @returns 1 if one of level `failOn` or higher is found.
 *  @see supabase/cli internal/db/advisors/advisors.go */
export async function advisors({ type, level, failOn, dbUrl, output, ...options }: AdvisorsOptions): Promise<number> {
  const { config } = readProjectConfig(findWorkdir(options.workdir))
  const database = dbUrl ? { url: dbUrl, close: async () => undefined } : await findDatabase(options)
  const category = type === 'all' ? null : (type.toUpperCase() as Category)
  const findings = await findingsIn(database.url, config.api.schemas, category).finally(database.close)
  const shown = findings.filter((one) => isAtLeast(one.level, level))
  if (output === 'json') console.log(JSON.stringify(shown, null, 2))
  else if (shown.length > 0) console.log(textOf(shown))
  if (shown.length === 0) console.error('No issues found')
  return failOn !== 'none' && shown.some((one) => isAtLeast(one.level, failOn)) ? 1 : 0
}

const isAtLeast = (level: Level, limit: string): boolean =>
  LEVELS.indexOf(level) >= LEVELS.indexOf(limit.toUpperCase() as Level)

const findingsIn = (url: string, exposed: readonly string[], category: Category | null): Promise<Finding[]> =>
  withClient(url, async (client) => {
    await client.query(READ_CATALOG)
    return readAdvisors(async (query, values) => (await client.query(query, [...values])).rows, exposed, category)
  })

function textOf(findings: readonly Finding[]): string {
  const rows = findings.map(({ level, name, metadata, detail }) => [level, name, objectOf(metadata), detail])
  const table = tableOf([['LEVEL', 'LINT', 'OBJECT', 'FINDING'], ...rows])
  const fixes = [...new Set(findings.flatMap(({ fix }) => fix ?? []))]
  const fixed = findings.filter(({ fix }) => fix !== undefined).length
  const pages = [...new Set(findings.map(({ remediation }) => remediation))]
  const parts = [table]
  if (fixes.length > 0)
    parts.push(
      `-- This SQL fixes ${fixed} of ${findings.length}. Review it first: some of it revokes permissions.\n${fixes.join('\n')}`,
    )
  parts.push(`Learn more:\n${pages.map((page) => `  ${page}`).join('\n')}`)
  return parts.join('\n\n')
}

const objectOf = ({ schema, name }: Finding['metadata']): string => (schema === undefined ? name : `${schema}.${name}`)
