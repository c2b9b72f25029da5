import pg from 'pg'
import type { Column, ForeignKey } from '../catalog.ts'
import type { ImportedTable } from '../plan.ts'
import { insteadOf } from '../platform-rows.ts'
import { ImportError } from '../source.ts'
import { canHave, isText, kindOfName, kindOfNamedColumn, kindOfValues } from './choose-kind.ts'
import { fakeColumn, type Replace } from './fake-column.ts'
import type { FakeOf, Kind } from './values.ts'

/** [import] of undock.toml: columns as `schema.table.column`. */
export type FakeRules = { readonly anonymize: readonly string[]; readonly keep: readonly string[] }

/** @property of Returns what replaces a column's values; null if they're kept. @property columns The columns whose values are all replaced,
 *  with their kind. */
export type Fakes = {
  /** @param table The table's id. */
  of(table: string, column: string): Replace | null
  readonly columns: readonly { readonly column: string; readonly kind: Kind }[]
}

/** Platform columns whose names don't show their content. Users write their metadata, so every text in it is replaced. */
const PLATFORM_KINDS: Readonly<Record<string, Kind>> = {
  'auth.users.raw_user_meta_data': 'text',
  'auth.identities.identity_data': 'text',
  'auth.identities.provider_id': 'account',
  'storage.objects.user_metadata': 'text',
}

/** The number of values that are sampled to find a column's kind. */
const SAMPLE = 500

const pathOf = ({ local }: ImportedTable, { name }: Column): string => `${local.schema}.${local.name}.${name}`

/** Decides which columns get fakes: those listed by the project, those whose names or values look like personal data, and those linked to
 *  one by a foreign key. @throws {ImportError} if a rule's column doesn't exist or its type has no fakes. */
export async function chooseFakes(
  tables: readonly ImportedTable[],
  foreignKeys: readonly ForeignKey[],
  { source, rules, fakeOf }: { source: pg.Client; rules: FakeRules; fakeOf: FakeOf },
): Promise<Fakes> {
  checkRules(tables, rules)
  const kinds = new Map<string, Kind>()
  for (const table of tables) {
    const values = await sampleValues(source, table)
    for (const column of table.columns) {
      const kind = kindOf(table, column, rules, values.get(column.name) ?? [])
      if (kind) kinds.set(pathOf(table, column), kind)
    }
  }
  const byId = new Map(tables.map((table) => [table.local.id, table]))
  linkKinds(kinds, linksOf(foreignKeys, byId), rules)
  const replaces = new Map<string, Replace | null>()
  for (const table of tables)
    for (const column of table.columns) {
      const path = pathOf(table, column)
      const kind = kinds.get(path) ?? null
      replaces.set(path, rules.keep.includes(path) ? null : fakeColumn(column, kind, table.local.name, fakeOf))
    }
  const pathOfName = (id: string, name: string): string => {
    const table = byId.get(id)
    return table ? `${table.local.schema}.${table.local.name}.${name}` : ''
  }
  return {
    of: (table, column) => replaces.get(pathOfName(table, column)) ?? null,
    columns: [...kinds].filter(([path]) => !rules.keep.includes(path)).map(([column, kind]) => ({ column, kind })),
  }
}

function kindOf(table: ImportedTable, column: Column, rules: FakeRules, values: readonly string[]): Kind | null {
  const path = pathOf(table, column)
  if (rules.keep.includes(path) || insteadOf(table.local.id, column.name, true) !== null) return null
  if (rules.anonymize.includes(path)) return kindOfNamedColumn(column, table.local.name)
  const kind = PLATFORM_KINDS[path] ?? kindOfValues(values) ?? kindOfName(column.name, table.local.name)
  return kind && canHave(column, kind) ? kind : null
}

/** Some values of each text column. */
async function sampleValues(
  source: pg.Client,
  { source: { id }, columns }: ImportedTable,
): Promise<Map<string, string[]>> {
  const texts = columns.filter((column) => isText(column) && !column.isArray)
  if (texts.length === 0) return new Map()
  const list = texts.map(({ name }) => `left(${pg.escapeIdentifier(name)}::text, 100)`).join(', ')
  const { rows } = await source.query<(string | null)[]>({
    text: `select ${list} from ${id} limit ${SAMPLE}`,
    rowMode: 'array',
  })
  return new Map(texts.map(({ name }, index) => [name, rows.flatMap((row) => row[index] ?? [])]))
}

/** Columns linked by a foreign key have the same fakes. @throws {ImportError} if one of them is kept: its rows would refer to nothing. */
function linkKinds(kinds: Map<string, Kind>, links: readonly Link[], { keep }: FakeRules): void {
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false
    for (const [child, parent] of links) {
      const kind = kinds.get(parent) ?? kinds.get(child)
      if (!kind) continue
      const kept = [child, parent].find((path) => keep.includes(path))
      if (kept)
        throw new ImportError(
          `${child} refers to ${parent}: keep both in [import] of supabase/undock.toml, or neither.`,
        )
      if (kinds.get(child) === kind && kinds.get(parent) === kind) continue
      kinds.set(child, kind).set(parent, kind)
      hasChanged = true
    }
  }
}

/** The paths of two columns; the first refers to the second. */
type Link = readonly [string, string]

function linksOf(foreignKeys: readonly ForeignKey[], tables: ReadonlyMap<string, ImportedTable>): Link[] {
  const path = ({ local }: ImportedTable, name = ''): string => `${local.schema}.${local.name}.${name}`
  return foreignKeys.flatMap(({ child, childColumns, parent, parentColumns }) => {
    const [from, to] = [tables.get(child), tables.get(parent)]
    if (!from || !to) return []
    return childColumns.map((name, index): Link => [path(from, name), path(to, parentColumns[index])])
  })
}

function checkRules(tables: readonly ImportedTable[], { anonymize, keep }: FakeRules): void {
  const schemas = new Set(tables.map(({ local }) => `${local.schema}.${local.name}`))
  const columns = new Map(
    tables.flatMap((table) => table.columns.map((column) => [pathOf(table, column), { table, column }])),
  )
  for (const [rule, paths] of Object.entries({ anonymize, keep }))
    for (const path of paths) {
      const match = columns.get(path)
      // A rule about a table that isn't imported this time is fine.
      if (!match && schemas.has(path.slice(0, path.lastIndexOf('.'))))
        throw new ImportError(`${rule} in [import] of supabase/undock.toml names ${path}, but there is no such column.`)
      if (match && rule === 'anonymize' && !kindOfNamedColumn(match.column, match.table.local.name))
        throw new ImportError(`${path} cannot be anonymized: there are no fakes of the type ${match.column.type}.`)
    }
  const both = anonymize.filter((path) => keep.includes(path))
  if (both.length > 0) throw new ImportError(`${both.join(', ')}: a column can be anonymized or kept, not both.`)
}
