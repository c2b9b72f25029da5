import pg from 'pg'
import type { ForeignKey } from './catalog.ts'
import { createLoader, type Loader, type LoadOptions } from './load-rows.ts'
import { type ImportedTable, type Plan, type PlannedKey, whyLeftOut } from './plan.ts'
import { USERS } from './platform-rows.ts'
import { ImportError, TEXT_SETTINGS } from './source.ts'

/** Keys per query to the source. */
const BATCH = 10_000

/** A row's key, column by column, as Postgres' text. */
type Key = readonly string[]

const { escapeIdentifier: quote, escapeLiteral } = pg

/** Returns a batch of keys of referenced rows that are missing. */
async function findMissing(target: pg.Client, foreignKey: ForeignKey): Promise<Key[]> {
  const { child, childColumns, parent, parentColumns, operators } = foreignKey
  const columns = childColumns.map((name) => `c.${quote(name)}`)
  const isSame = columns.map(
    (column, index) => `p.${quote(parentColumns[index] ?? '')} operator(${operators[index]}) ${column}`,
  )
  const { rows } = await target.query<{ key: Key }>(
    `select array[${columns.map((column) => `${column}::text`).join(', ')}] as key
     from (select distinct ${columns.join(', ')} from ${child} c
       where ${columns.map((column) => `${column} is not null`).join(' and ')}
         and not exists (select from ${parent} p where ${isSame.join(' and ')}) limit ${BATCH}) c`,
  )
  return rows.map(({ key }) => key)
}

/** Returns the condition for rows `t` with these keys. @param types The columns' types. @param operators Their comparison operators. */
function hasKey(
  columns: readonly string[],
  { types, operators, keys }: { types: readonly string[]; operators: readonly string[]; keys: readonly Key[] },
): string {
  const lists = columns.map((_, index) => `${escapeLiteral(textArray(keys.map((key) => key[index] ?? '')))}::text[]`)
  const isSame = columns.map(
    (name, index) => `t.${quote(name)} operator(${operators[index]}) k.k${index}::${types[index]}`,
  )
  const names = columns.map((_, index) => `k${index}`).join(', ')
  return `exists (select from unnest(${lists.join(', ')}) k (${names}) where ${isSame.join(' and ')})`
}

const textArray = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`

/** @throws {ImportError} always: rows refer to a table that isn't imported. */
function refuseReference({ name, child, parent }: ForeignKey): never {
  throw new ImportError(
    `Rows of ${child} refer to ${parent} (${name}), whose rows are not imported. ${whyLeftOut(parent)}`,
  )
}

type Link = { readonly table: string; readonly column: string; readonly sequence: string }

/** The sequences of columns: `serial`, identity and defaults. */
const LINKS = `
  select format('%I.%I', n.nspname, c.relname) as table, a.attname as column, format('%I.%I', sn.nspname, s.relname) as sequence
  from (
    select d.refobjid as relation, d.refobjsubid as number, d.objid as sequence from pg_catalog.pg_depend d
    where d.classid = 'pg_catalog.pg_class'::regclass and d.refclassid = d.classid and d.deptype in ('a', 'i') and d.refobjsubid > 0
    union
    select v.adrelid, v.adnum, d.refobjid from pg_catalog.pg_attrdef v join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_attrdef'::regclass and d.objid = v.oid and d.refclassid = 'pg_catalog.pg_class'::regclass
  ) l
  join pg_catalog.pg_class s on s.oid = l.sequence and s.relkind = 'S'
  join pg_catalog.pg_namespace sn on sn.oid = s.relnamespace
  join pg_catalog.pg_class c on c.oid = l.relation join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_attribute a on a.attrelid = l.relation and a.attnum = l.number`

/** Sets the sequences of the imported tables to the source's values. */
async function setSequences(source: pg.Client, target: pg.Client, tables: ReadonlySet<string>): Promise<void> {
  const [theirs, ours] = [await source.query<Link>(LINKS), await target.query<Link>(LINKS)]
  const key = ({ table, column }: Link): string => JSON.stringify([table, column])
  const atSource = new Map(theirs.rows.map((link) => [key(link), link.sequence]))
  for (const link of ours.rows) {
    const sequence = atSource.get(key(link))
    if (sequence === undefined || !tables.has(link.table)) continue
    const { rows } = await source.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${sequence}`,
    )
    await target.query('select setval($1::regclass, $2::bigint, $3)', [link.sequence, rows[0]?.value, rows[0]?.called])
  }
}

/** The rows to import of each table: a share or a number. */
export type Sample = { readonly percent: number } | { readonly rows: number }

/** @property replaces Whether tables are emptied first. */
export type ImportOptions = Omit<LoadOptions, 'mayLack'> & {
  readonly plan: Plan
  readonly sample: Sample | null
  readonly replaces: boolean
}

/** Copies a plan's rows in one transaction of the target without triggers and foreign keys; the foreign keys are valid at its end.
 *  @returns the number of rows by table. @throws {ImportError} if a row doesn't fit; the target is then unchanged. */
export async function importData(options: ImportOptions): Promise<ReadonlyMap<string, number>> {
  const { source, target, plan, replaces, signal } = options
  await target.query('begin')
  await target.query(`${TEXT_SETTINGS}; set local statement_timeout = 0; set local lock_timeout = '30s';
    set local session_replication_role = replica`)
  if (replaces) await target.query(`truncate ${plan.emptied.join(', ')}`)
  else await requireEmpty(target, plan)
  const loader = createLoader({ ...options, mayLack: plan.foreignKeys.filter((key) => mayLack(options, key)) })
  for (const table of plan.roots) await loader.load(table, sampling(options.sample))
  await completeReferences(options, loader)
  for (const table of plan.ofUsers) await loadOfUsers(options, loader, table)
  await setSequences(source, target, new Set(plan.tables.keys()))
  signal.throwIfAborted()
  await target.query('commit')
  return loader.counts
}

/** Requires empty tables, so that imported rows don't mix with others.
 *  @throws {ImportError} */
async function requireEmpty(target: pg.Client, { tables, ofUsers }: Plan): Promise<void> {
  const full: string[] = []
  for (const { local } of [...tables.values(), ...ofUsers]) {
    const { rows } = await target.query<{ has: boolean }>(`select exists (select from ${local.id}) as has`)
    if (rows[0]?.has) full.push(local.id)
  }
  if (full.length > 0)
    throw new ImportError(`These tables already have rows: ${full.join(', ')}. To empty them first, use --replace.`)
}

/** Whether the referenced row may be missing after the roots were loaded. */
const mayLack = ({ sample, plan }: ImportOptions, { parent }: PlannedKey): boolean =>
  sample !== null || !plan.roots.some(({ local }) => local.id === parent)

/** The rows of a sample, the same as long as the table doesn't change. */
function sampling(sample: Sample | null): string {
  if (sample === null) return ''
  return 'percent' in sample
    ? `tablesample bernoulli (${sample.percent}) repeatable (1)`
    : `order by pg_catalog.hashtext(t.tableoid::text || t.ctid::text), t.tableoid, t.ctid limit ${sample.rows}`
}

/** Loads referenced rows until none is missing, which also terminates for cycles. */
async function completeReferences({ target, plan, signal }: ImportOptions, loader: Loader): Promise<void> {
  for (let isComplete = false; !isComplete; ) {
    isComplete = true
    for (const foreignKey of plan.foreignKeys)
      while (await loadMissing(target, plan, loader, foreignKey)) {
        signal.throwIfAborted()
        isComplete = false
      }
  }
}

/** @returns whether rows were missing. */
async function loadMissing(target: pg.Client, plan: Plan, loader: Loader, foreignKey: PlannedKey): Promise<boolean> {
  const keys = await findMissing(target, foreignKey)
  if (keys.length === 0) return false
  const { name, child, parent, parentColumns, sourceOperators } = foreignKey
  const table = plan.tables.get(parent)
  if (!table) refuseReference(foreignKey)
  const types = parentColumns.map((name) => table.source.columns.find((column) => column.name === name)?.type ?? 'text')
  const real = keys.map((key) => key.map(loader.realOf))
  const count = await loader.load(
    table,
    `where ${hasKey(parentColumns, { types, operators: sourceOperators, keys: real })}`,
  )
  if (count < keys.length)
    throw new ImportError(
      `Rows of ${child} refer to rows of ${parent} that the source does not have (${name}). Fix them there, or leave ${child} out with --exclude.`,
    )
  return true
}

/** Users per batch. */
const USERS_AT_A_TIME = 10_000
const NO_USER = '00000000-0000-0000-0000-000000000000'

/** Loads users' rows of a table, such as their identities. */
async function loadOfUsers({ target }: ImportOptions, loader: Loader, table: ImportedTable): Promise<void> {
  let last = NO_USER
  for (;;) {
    const { rows } = await target.query<{ id: string }>(
      `select id::text from ${USERS} where id > $1 order by id limit ${USERS_AT_A_TIME}`,
      [last],
    )
    const ids = rows.map(({ id }) => [id])
    if (ids.length === 0) return
    const types = { types: ['uuid'], operators: ['pg_catalog.='], keys: ids }
    await loader.load(table, `where ${hasKey(['user_id'], types)}`)
    last = rows.at(-1)?.id ?? last
  }
}
