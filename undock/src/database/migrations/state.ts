import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { asProjectUser } from '../as-project-user.ts'
import type { Db } from '../db.ts'
import { skipComment, skipQuoted, splitStatements } from '../statements/split-statements.ts'
import { HISTORY_MISSING } from './history.ts'
import type { Migration } from './project-files.ts'

export type MigrationState = {
  /** Not yet applied; `supabase migration up` or a reset applies them. Empty if other migrations made the database. */
  readonly pending: readonly Migration[]
  readonly faults: readonly string[]
  readonly late: readonly Migration[]
  readonly last: string
  readonly doubled: readonly DoubledVersion[]
}

/** A version shared by several files: the history identifies migrations by version only.
 *  @property applied Path of the file that the history means; null if none or unknown. */
export type DoubledVersion = {
  readonly version: string
  readonly paths: readonly string[]
  readonly applied: string | null
}

export const NO_MIGRATIONS: MigrationState = { pending: [], faults: [], late: [], last: '', doubled: [] }

type Applied = { readonly version: string; readonly name: string | null; readonly statements: readonly string[] | null }

/** Compares a project's migrations with the applied ones recorded in its database. */
export async function readMigrationState(
  db: Db,
  migrations: readonly Migration[],
  supabaseFolder: string,
): Promise<MigrationState> {
  const applied = await readHistory(db)
  const known = new Map(applied.map((one) => [one.version, one]))
  const doubled = doubledVersions(migrations, known)
  const unique = migrations.filter(({ version }) => !doubled.some((one) => one.version === version))
  const pending = migrations.filter(({ version }) => !known.has(version))
  const last = applied.at(-1)?.version ?? ''
  const edited = unique.filter(({ version, text }) => {
    const statements = known.get(version)?.statements
    return statements ? !isSameScript(text, statements) : false
  })
  const files = new Set(migrations.map(({ version }) => version))
  const [start] = migrations
  if (start && applied.length > 0 && !applied.some(({ version }) => files.has(version)))
    return { ...NO_MIGRATIONS, faults: [otherHistoryText(applied, start)] }
  const late = pending.filter(({ version }) => version < last)
  return {
    pending,
    late,
    last,
    doubled,
    faults: [
      ...doubled.map(doubledText),
      ...(await Promise.all(edited.map((migration) => editedText(migration, supabaseFolder)))),
      ...late.map(
        ({ path }) =>
          `${path} is out of order: it is not applied, but the later ${pathOf(last, known, migrations)} is. ` +
          '`undock migration fix` gives the file a later version, and `undock migration up` applies it.',
      ),
      ...(migrations.length > 0 ? applied : [])
        .filter(({ version }) => !files.has(version))
        .map(
          ({ version, name }) =>
            `The migration ${version}${name ? `_${name}` : ''} was applied, but its file is missing. ` +
            `Restore the file (\`supabase migration fetch\` writes it), or remove it from the history: \`supabase migration repair --status reverted ${version}\`.`,
        ),
    ],
  }
}

/** @param known Applied migrations by version; left out if the database wasn't asked. */
export function doubledVersions(
  migrations: readonly Migration[],
  known: ReadonlyMap<string, Applied> = new Map(),
): DoubledVersion[] {
  const byVersion = Map.groupBy(migrations, ({ version }) => version)
  return [...byVersion].flatMap(([version, some]) => {
    if (some.length < 2) return []
    const recorded = known.get(version)
    const meant =
      recorded &&
      (some.find(({ text }) => recorded.statements && isSameScript(text, recorded.statements)) ??
        some.find(({ name }) => name === recorded.name))
    return [{ version, paths: some.map(({ path }) => path), applied: meant?.path ?? null }]
  })
}

export const doubledText = ({ paths }: DoubledVersion): string =>
  `${paths.join(' and ')} have the same version, so only one of them can be applied. \`undock migration fix\` gives the others new versions.`

async function readHistory(db: Db): Promise<readonly Applied[]> {
  // The project may have put a view in this table's place. Early versions of the CLI had fewer columns.
  const text = `select version, to_jsonb(history) ->> 'name' as name, to_jsonb(history) -> 'statements' as statements
    from supabase_migrations.schema_migrations history order by version`
  return asProjectUser(db)
    .query<Applied>({ text, values: [] })
    .then(
      ({ rows }) => rows,
      (error: { code?: unknown }) => {
        if (HISTORY_MISSING.includes(String(error.code))) return []
        throw error
      },
    )
}

/** The project's migrations were replaced, for example squashed. One sentence per missing file would hide what to do. */
const otherHistoryText = (applied: readonly Applied[], start: Migration): string =>
  `The local data was created by ${applied.length} migration(s), none of which is still in supabase/migrations, which now begins with ` +
  `${start.path}. Nothing was changed. To keep the rows: \`undock db dump --data-only -f rows.sql\`, then ` +
  '`undock supabase db reset --no-seed`, which deletes rows, users and stored files (`undock undo` restores them), then ' +
  '`undock psql -f rows.sql`, which reports rows that the migrations have already inserted. Or go back to the previous files.'

async function editedText({ path }: Migration, supabaseFolder: string): Promise<string> {
  const changed = await stat(join(dirname(supabaseFolder), path)).then(
    ({ mtime }) => ` (its file changed last at ${mtime.toISOString()})`,
    () => '',
  )
  return (
    `${path} was edited after it was applied${changed}: the database has its earlier contents. ` +
    'Undo the edit and write the change as a new migration, or start over with `undock reset`, which deletes rows, users and files (`undock undo` restores them).'
  )
}

const pathOf = (version: string, known: ReadonlyMap<string, Applied>, migrations: readonly Migration[]): string =>
  migrations.find((one) => one.version === version)?.path ?? `${version}_${known.get(version)?.name ?? ''}`

/** Returns whether a script consists of exactly these statements, ignoring comments and whitespace between words. */
function isSameScript(script: string, statements: readonly string[]): boolean {
  return (
    containsOnly(script, statements) ||
    codeOf(
      splitStatements(script)
        .map(({ text }) => text)
        .join(';'),
    ) === codeOf(statements.join(';'))
  )
}

/** Fast path for statements recorded exactly as they are in the script. */
function containsOnly(script: string, statements: readonly string[]): boolean {
  let at = 0
  for (const statement of statements) {
    const found = script.indexOf(statement, at)
    if (found === -1 || /[^\s;]/.test(script.slice(at, found))) return false
    at = found + statement.length
  }
  return !/[^\s;]/.test(script.slice(at))
}

function codeOf(script: string): string {
  let code = ''
  for (let at = 0; at < script.length; ) {
    const quoted = skipQuoted(script, at)
    const next = quoted > at ? quoted : Math.max(skipComment(script, at), at + 1)
    const part = script.slice(at, next)
    if (quoted > at || (next === at + 1 && !/[\s;]/.test(part))) code += part
    at = next
  }
  return code
}
