import { type Sql, sql } from '../../kernel/sql.ts'
import type { KeyColumn, KeyRow } from './keys.ts'
import type { QualifiedName } from './model.ts'
import { matchesFilter, type RelationFilter } from './tables.ts'

/** Reads views of the exposed schemas and the extra search path, with the parse tree of their query. */
export const viewsQuery = (schemas: readonly string[], extra: readonly string[], filter: RelationFilter): Sql => sql`
select c.oid::int8::text as id, n.nspname as schema, c.relname as name, r.ev_action::text as tree,
  (select json_agg(json_build_object('number', a.attnum, 'name', a.attname) order by a.attnum)
   from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
  n.nspname = any(${schemas}) as exposed
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
where c.relkind in ('v', 'm') and n.nspname = any(${[...schemas, ...extra]}) and ${matchesFilter(sql`c.oid`, filter)}`

export type ViewTree = QualifiedName & {
  readonly id: string
  readonly tree: string
  readonly columns: readonly KeyColumn[]
  readonly exposed: boolean
}

export type ViewRow = Omit<ViewTree, 'tree'> & { readonly origins: readonly Origin[] }

export const toView = ({ tree, ...view }: ViewTree): ViewRow => ({ ...view, origins: readTargetList(tree) })

/** A table's key that a view shows completely; a column may have several names there. */
export type ViewKey = {
  readonly view: QualifiedName
  readonly key: KeyRow
  readonly side: 'primary' | 'referencing' | 'referenced'
  readonly columns: readonly (readonly [column: string, shownAs: readonly string[]])[]
}

export type Origin = { readonly position: number; readonly table: string; readonly column: number }

/** Finds the table column behind each of a view's columns, from its query's top-level target list in Postgres'
 *  node-tree format: `{NODE :field value …}` with `(…)` lists; names escape these characters with a backslash. */
export function readTargetList(tree: string): Origin[] {
  const found: Origin[] = []
  const opened: string[] = []
  let inList = false
  let entry: { resno?: number; resorigtbl?: string; resorigcol?: number } | null = null
  // `({QUERY … :targetList ({TARGETENTRY …} …) …})`: the query is at depth 2, its lists' nodes at depth 4.
  for (const { 0: token } of tree.matchAll(/\\.|[(){}]|:(?:targetList|resno|resorigtbl|resorigcol) \d*/gs)) {
    if (token.startsWith('\\')) continue
    if (token === '(' || token === '{') {
      opened.push(token)
      if (inList && opened.length === 4) entry = {}
    } else if (token === ')' || token === '}') {
      if (inList && entry && opened.length === 4) {
        const { resno, resorigtbl, resorigcol } = entry
        if (resno && resorigtbl && resorigtbl !== '0' && resorigcol) {
          found.push({ position: resno, table: resorigtbl, column: resorigcol })
        }
        entry = null
      }
      opened.pop()
      if (inList && opened.length === 2) return found
    } else if (token.startsWith(':targetList') && opened.length === 2) inList = true
    else if (entry && opened.length === 4) {
      const [field = '', value = ''] = token.slice(1).split(' ')
      if (field === 'resorigtbl') entry.resorigtbl = value
      else if (field === 'resno') entry.resno = Number(value)
      else if (field === 'resorigcol') entry.resorigcol = Number(value)
    }
  }
  return found
}

/** Traces the columns of exposed views to the underlying tables, through views on views. */
export function traceViewKeys(views: readonly ViewRow[], keys: readonly KeyRow[]): ViewKey[] {
  const originsOf = new Map(views.map(({ id, origins }) => [id, origins]))
  const sidesOf = new Map<string, { key: KeyRow; side: ViewKey['side']; columns: readonly KeyColumn[] }[]>()
  const addSide = (
    table: string,
    side: { key: KeyRow; side: ViewKey['side']; columns: readonly KeyColumn[] },
  ): void => {
    sidesOf.set(table, [...(sidesOf.get(table) ?? []), side])
  }
  for (const key of keys) {
    if (key.type === 'p') addSide(key.tableId, { key, side: 'primary', columns: key.columns })
    if (key.type !== 'f') continue
    addSide(key.tableId, { key, side: 'referencing', columns: key.columns })
    addSide(key.foreignId, { key, side: 'referenced', columns: key.foreignColumns ?? [] })
  }
  return views
    .filter(({ exposed }) => exposed)
    .flatMap((view) => {
      const shown = new Map<string, Map<number, string[]>>()
      const nameOf = new Map(view.columns.map(({ number, name }) => [number, name]))
      const follow = (position: number, origin: Origin, path: readonly string[]): void => {
        const name = nameOf.get(position)
        if (name === undefined) return
        const columns = shown.get(origin.table) ?? new Map<number, string[]>()
        shown.set(origin.table, columns)
        const names = columns.get(origin.column) ?? []
        if (!names.includes(name)) columns.set(origin.column, [...names, name])
        if (path.includes(origin.table)) return
        for (const below of originsOf.get(origin.table) ?? []) {
          if (below.position === origin.column) follow(position, below, [...path, origin.table])
        }
      }
      for (const origin of originsOf.get(view.id) ?? []) follow(origin.position, origin, [])
      return [...shown].flatMap(([table, columns]) =>
        (sidesOf.get(table) ?? []).flatMap((side): ViewKey[] => {
          const pairs = side.columns.map(({ number, name }) => [name, columns.get(number) ?? []] as const)
          if (pairs.some(([, names]) => names.length === 0)) return []
          return [{ view: { schema: view.schema, name: view.name }, key: side.key, side: side.side, columns: pairs }]
        }),
      )
    })
}
