import type { Catalog, Column, ForeignKey, Table } from './catalog.ts'
import { STORAGE_TABLES, tablesOfUsers, USERS } from './platform-rows.ts'
import { ImportError } from './source.ts'

/** @property tables The ids of the tables to start from; null for all project tables and the users. @property exclude Ids of tables not to
 *  import. */
export type Selection = {
  readonly tables: readonly string[] | null
  readonly exclude: readonly string[]
  readonly withStorage: boolean
  readonly isAnonymized: boolean
}

/** A table to import. @property columns Those in both databases that aren't generated here. */
export type ImportedTable = { readonly local: Table; readonly source: Table; readonly columns: readonly Column[] }

/** @property sourceOperators The source's comparison operators: an extension may be in another schema there. */
export type PlannedKey = ForeignKey & { readonly sourceOperators: readonly string[] }

/** @property roots The tables read completely or sampled. @property tables All tables that may get rows, by id: the roots and what they
 *  refer to. @property ofUsers Tables imported together with users. @property foreignKeys Between them, and to tables that aren't imported.
 *  @property emptied Ids of the tables to empty when replacing rows. @property differences Sentences about differences between the
 *  databases. */
export type Plan = {
  readonly roots: readonly ImportedTable[]
  readonly tables: ReadonlyMap<string, ImportedTable>
  readonly ofUsers: readonly ImportedTable[]
  readonly foreignKeys: readonly PlannedKey[]
  readonly emptied: readonly string[]
  readonly differences: readonly string[]
}

/** Decides what to import. @param project The ids of the tables created by migrations. @throws {ImportError} if a table is missing, or a
 *  required column would get no value. */
export function makePlan(local: Catalog, source: Catalog, project: readonly string[], selection: Selection): Plan {
  const importable = importableTables(project, selection)
  const roots = selection.tables ?? [...importable]
  for (const id of roots) if (!importable.has(id)) throw new ImportError(`Can't import ${id}. ${whyLeftOut(id)}`)
  const reached = followKeys(roots, local.foreignKeys, importable)
  const missing = [...reached].filter((id) => !source.tables.has(id))
  if (missing.length > 0)
    throw new ImportError(
      `The source has no table ${missing.join(', ')}. Apply the project's migrations there, or leave it out with --exclude.`,
    )
  const tables = new Map([...reached].map((id) => [id, importedTable(id, local, source)]))
  const ofUsers = reached.has(USERS)
    ? tablesOfUsers(selection.isAnonymized)
        .filter((id) => source.tables.has(id) && local.tables.has(id))
        .map((id) => importedTable(id, local, source))
    : []
  const written = [...tables.values(), ...ofUsers]
  requireValues(written)
  return {
    roots: roots.flatMap((id) => tables.get(id) ?? []),
    tables,
    ofUsers,
    foreignKeys: local.foreignKeys
      .filter(({ child }) => tables.has(child))
      .map((key) => ({ ...key, sourceOperators: (sameKey(key, source.foreignKeys) ?? key).operators })),
    emptied: dependents(
      written.map(({ local: { id } }) => id),
      local.foreignKeys,
    ),
    differences: [
      ...unknownTables(local, source, project, selection),
      ...written.flatMap(({ local, source }) => columnDifferences(local, source)),
    ],
  }
}

function importableTables(project: readonly string[], { withStorage, exclude }: Selection): Set<string> {
  const tables = new Set([...project, USERS, ...(withStorage ? STORAGE_TABLES : [])])
  for (const id of exclude) tables.delete(id)
  return tables
}

const sameKey = (key: ForeignKey, others: readonly ForeignKey[]): ForeignKey | undefined =>
  others.find(
    ({ parent, child, parentColumns, childColumns }) =>
      parent === key.parent &&
      child === key.child &&
      `${parentColumns}` === `${key.parentColumns}` &&
      `${childColumns}` === `${key.childColumns}`,
  )

/** Returns the tables and the importable ones that they refer to. */
function followKeys(
  roots: readonly string[],
  keys: readonly ForeignKey[],
  importable: ReadonlySet<string>,
): Set<string> {
  const reached = new Set(roots)
  for (const id of reached)
    for (const { child, parent } of keys) if (child === id && importable.has(parent)) reached.add(parent)
  return reached
}

/** Returns the tables and those that refer to them. */
function dependents(tables: readonly string[], keys: readonly ForeignKey[]): string[] {
  const reached = new Set(tables)
  for (const id of reached) for (const { child, parent } of keys) if (parent === id) reached.add(child)
  return [...reached].sort()
}

function importedTable(id: string, { tables: locals }: Catalog, { tables: sources }: Catalog): ImportedTable {
  const [local, source] = [locals.get(id), sources.get(id)]
  if (!local || !source) throw new ImportError(`There is no table ${id}.`)
  const theirs = new Set(source.columns.map(({ name }) => name))
  return { local, source, columns: local.columns.filter(({ name, isGenerated }) => !isGenerated && theirs.has(name)) }
}

function requireValues(tables: readonly ImportedTable[]): void {
  const empty = tables.flatMap(({ local, source }) =>
    onlyIn(local, source)
      .filter(({ isNullable, hasDefault, isGenerated }) => !(isNullable || hasDefault || isGenerated))
      .map(({ name }) => `${local.id}.${name}`),
  )
  if (empty.length > 0)
    throw new ImportError(
      `The source has no column ${empty.join(', ')}, which is NOT NULL and has no default here. Give it a default, or leave its table out with --exclude.`,
    )
}

const onlyIn = (one: Table, other: Table): Column[] => {
  const names = new Set(other.columns.map(({ name }) => name))
  return one.columns.filter(({ name }) => !names.has(name))
}

function columnDifferences(local: Table, source: Table): string[] {
  const namesOf = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(', ')
  const here = onlyIn(local, source).filter(({ isGenerated }) => !isGenerated)
  const there = onlyIn(source, local)
  const types = new Map(source.columns.map(({ name, type }) => [name, type]))
  const other = local.columns.filter(({ name, type }) => types.has(name) && types.get(name) !== type)
  return [
    ...(here.length > 0 ? [`${local.id}: the source has no ${namesOf(here)}; the default is used`] : []),
    ...(there.length > 0 ? [`${local.id}: only the source has ${namesOf(there)}; left out`] : []),
    ...other.map(({ name, type }) => `${local.id}.${name} is ${types.get(name)} in the source, and ${type} here`),
  ]
}

/** Returns tables of the same schemas that only the source has. */
function unknownTables(local: Catalog, source: Catalog, project: readonly string[], { tables }: Selection): string[] {
  if (tables !== null) return []
  const schemas = new Set(['public', ...project.map((id) => local.tables.get(id)?.schema)])
  const unknown = [...source.tables.values()].filter(({ id, schema }) => schemas.has(schema) && !local.tables.has(id))
  if (unknown.length === 0) return []
  return [`No migration creates ${unknown.map(({ id }) => id).join(', ')}; left out`]
}

/** Returns what to do about a table that isn't imported. */
export function whyLeftOut(id: string): string {
  if ((STORAGE_TABLES as readonly string[]).includes(id)) return 'Add --storage metadata.'
  if (id.startsWith('auth.'))
    return 'Of the schema auth, only users, identities and factors are imported, with the users.'
  return 'It is left out by --exclude, or is not a table of the project.'
}
