import type pg from 'pg'

type Link = { readonly table: string; readonly column: string; readonly sequence: string }

/** The sequences that give the values of columns, of `serial`, identity columns, and defaults. */
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

/** Lets the sequences of the imported tables go on where those of the source are. */
export async function setSequences(source: pg.Client, target: pg.Client, tables: ReadonlySet<string>): Promise<void> {
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
