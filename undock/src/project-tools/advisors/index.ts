import { DEFINITION_LINTS } from './definition-lints.ts'
import { EXPOSURE_LINTS } from './exposure-lints.ts'
import { type Category, LEVELS, type Level, type Lint } from './lint.ts'
import { PERFORMANCE_LINTS } from './performance-lints.ts'
import { ROW_SECURITY_LINTS } from './row-security-lints.ts'

export { type Category, LEVELS, type Level } from './lint.ts'

export const LINTS: readonly Lint[] = [
  ...ROW_SECURITY_LINTS,
  ...EXPOSURE_LINTS,
  ...DEFINITION_LINTS,
  ...PERFORMANCE_LINTS,
]

/** A finding in the format of `supabase db advisors`.
 *  @property fix SQL that fixes it, unless that needs a decision. Not in upstream. */
export type Finding = {
  readonly name: string
  readonly title: string
  readonly level: Level
  readonly facing: 'EXTERNAL'
  readonly categories: readonly Category[]
  readonly description: string
  readonly detail: string
  /** The address of a page that explains it. */
  readonly remediation: string
  readonly metadata: { readonly name: string; readonly schema?: string; readonly [key: string]: unknown }
  readonly cache_key: string
  readonly fix?: string
}

/** Runs one read-only statement. */
export type Read = (query: string, values: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>

const DOCUMENTATION = 'https://supabase.com/docs/guides/database/database-linter?lint='

/** Begins a transaction for reading the catalog, with an empty search path: operators of the project could shadow
 *  PostgreSQL's. */
export const READ_CATALOG = "begin read only; set local search_path = ''"

/** Checks a database for common problems, most severe first. @param read Within a transaction begun by `READ_CATALOG` or similar.
 *  @param exposed The schemas that the Data API exposes. */
export async function readAdvisors(
  read: Read,
  exposed: readonly string[],
  category: Category | null = null,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const lint of LINTS.filter((one) => category === null || one.category === category)) {
    if (lint.needs && !(await exists(read, lint.needs))) continue
    const rows = await read(lint.query, lint.query.includes('$1') ? [exposed] : [])
    findings.push(...rows.map((row) => findingOf(lint, row)))
  }
  const rank = ({ level }: Finding): number => LEVELS.indexOf(level)
  return findings.toSorted((a, b) => rank(b) - rank(a) || a.cache_key.localeCompare(b.cache_key))
}

async function exists(read: Read, table: string): Promise<boolean> {
  const [row] = await read(`select to_regclass('${table}') is not null as there`, [])
  return row?.there === true
}

function findingOf(
  { name, keyName = name, title, level, category, description, page }: Lint,
  row: Record<string, unknown>,
): Finding {
  const { detail, metadata, key, fix } = row as Pick<Finding, 'detail' | 'metadata'> & {
    key: string
    fix: string | null
  }
  return {
    name,
    title,
    level,
    facing: 'EXTERNAL',
    categories: [category],
    description,
    detail,
    remediation: `${DOCUMENTATION}${page}`,
    metadata,
    cache_key: `${keyName}_${key}`,
    ...(fix === null ? {} : { fix }),
  }
}
