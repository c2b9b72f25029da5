import type { Column, View } from './catalog.ts'

type TreeNode = { readonly type: string; readonly fields: Readonly<Record<string, Tree>> }
/** A node tree in Postgres' text format: `{TYPE :field value …}`, `(…)` lists, and `<>` for nothing. */
type Tree = TreeNode | readonly Tree[] | string | null

/** The letters before the elements of lists that contain no nodes. */
const LIST_KINDS = new Set(['i', 'o', 'b', 'x'])

/** @throws {Error} if the text isn't a tree. */
function parseTree(text: string): Tree {
  // Names escape brackets, spaces and backslashes with a backslash.
  const tokens = text.match(/[(){}]|(?:\\.|[^\s(){}\\])+/gs) ?? []
  let at = 0
  const take = (): string => {
    const token = tokens[at++]
    if (token === undefined) throw new Error('The tree ends early')
    return token
  }
  const endsField = (): boolean =>
    tokens[at] === undefined || tokens[at] === '}' || tokens[at]?.startsWith(':') === true
  function value(): Tree {
    const token = take()
    if (token === '(') {
      const list: Tree[] = []
      if (LIST_KINDS.has(tokens[at] ?? '')) at++
      while (tokens[at] !== ')') list.push(value())
      at++
      return list
    }
    if (token !== '{') return token === '<>' ? null : token.replaceAll(/\\(.)/gs, '$1')
    const type = take()
    const fields: Record<string, Tree> = {}
    while (tokens[at] !== '}') {
      const name = take().slice(1)
      fields[name] = endsField() ? null : value()
      // A constant's bytes follow its length.
      while (!endsField()) value()
    }
    at++
    return { type, fields }
  }
  return value()
}

const isNode = (tree: Tree | undefined, type: string): tree is TreeNode =>
  typeof tree === 'object' && tree !== null && 'type' in tree && tree.type === type
const listOf = (tree: Tree | undefined): readonly Tree[] => (Array.isArray(tree) ? tree : [])

/** Parses a view's query; null if it can't be understood. */
export function queryOf({ tree }: View): TreeNode | null {
  try {
    const parsed = parseTree(tree)
    const query = Array.isArray(parsed) ? parsed[0] : parsed
    return isNode(query, 'QUERY') ? query : null
  } catch {
    return null
  }
}

/** Returns the table's or view's column behind a query's column. */
type Origin = { readonly position: number; readonly table: number; readonly column: number }

export const originsOf = (query: TreeNode): Origin[] =>
  entriesOf(query).map(({ fields }) => ({
    position: Number(fields.resno),
    table: Number(fields.resorigtbl),
    column: Number(fields.resorigcol),
  }))

const entriesOf = (query: TreeNode): TreeNode[] =>
  listOf(query.fields.targetList).filter((entry) => isNode(entry, 'TARGETENTRY'))

const RANGE = { relation: '0', subquery: '1', join: '2', cte: '6', group: '9' } as const
const JOIN = { inner: '0', left: '1', right: '3' } as const

/** Marks a view's columns as never null if they always contain a table's column that is never null, or have a comment `@notNull`. Columns
 *  from an outer join's nullable side, several queries or grouping sets may be null. */
export function withNullability(columns: readonly Column[], views: readonly View[]): Column[] {
  const queries = new Map(views.map((view) => [view.id, queryOf(view)]))
  const ofTables = new Set(views.flatMap(({ notNull }) => notNull.map(([table, column]) => `${table}.${column}`)))
  const known = new Map<number, Set<number>>()
  const nullable = new Map<TreeNode, Set<number>>()

  function neverNullOf(id: number): Set<number> {
    const cached = known.get(id)
    if (cached) return cached
    const made = new Set<number>()
    known.set(id, made)
    const query = queries.get(id)
    if (query && isPlain(query))
      for (const { fields } of entriesOf(query))
        if (fields.resjunk !== 'true' && isNeverNull(fields.expr, [query])) made.add(Number(fields.resno))
    return made
  }

  function mayBeEmpty(query: TreeNode): Set<number> {
    const found = nullable.get(query) ?? emptySides(query)
    nullable.set(query, found)
    return found
  }

  /** @param queries From the outermost to the one that contains the expression. */
  function isNeverNull(expression: Tree | undefined, queries: readonly TreeNode[]): boolean {
    const query = queries.at(-1)
    if (!query || !isNode(expression, 'VAR') || expression.fields.varlevelsup !== '0') return false
    const [source, column] = [Number(expression.fields.varno), Number(expression.fields.varattno)]
    if (column <= 0 || mayBeEmpty(query).has(source)) return false
    const range = listOf(query.fields.rtable)[source - 1]
    if (!isNode(range, 'RANGETBLENTRY')) return false
    const { rtekind, relid, subquery, joinaliasvars, groupexprs, ctename, ctelevelsup } = range.fields
    switch (rtekind) {
      case RANGE.relation:
        return queryIds.has(Number(relid)) ? neverNullOf(Number(relid)).has(column) : ofTables.has(`${relid}.${column}`)
      case RANGE.subquery:
        return showsNeverNull(subquery, column, queries)
      case RANGE.join:
        return isNeverNull(listOf(joinaliasvars)[column - 1], queries)
      case RANGE.group:
        return isNeverNull(listOf(groupexprs)[column - 1], queries)
      case RANGE.cte: {
        const levels = Number(ctelevelsup)
        const found = listOf(queries.at(-1 - levels)?.fields.cteList).find(
          (one) => isNode(one, 'COMMONTABLEEXPR') && one.fields.ctename === ctename,
        )
        return (
          isNode(found, 'COMMONTABLEEXPR') &&
          found.fields.cterecursive !== 'true' &&
          showsNeverNull(found.fields.ctequery, column, queries.slice(0, queries.length - levels))
        )
      }
      default:
        return false
    }
  }

  function showsNeverNull(query: Tree | undefined, column: number, outer: readonly TreeNode[]): boolean {
    if (!isNode(query, 'QUERY') || !isPlain(query)) return false
    const entry = entriesOf(query).find(({ fields }) => Number(fields.resno) === column)
    return isNeverNull(entry?.fields.expr, [...outer, query])
  }

  const queryIds = new Set(views.map(({ id }) => id))
  return columns.map((column) =>
    column.isNullable &&
    queryIds.has(column.table) &&
    (neverNullOf(column.table).has(column.number) || /^\s*@notNull\s*$/m.test(column.comment ?? ''))
      ? { ...column, isNullable: false }
      : column,
  )
}

/** Whether each row of a query comes from one row of each source. */
const isPlain = ({ fields }: TreeNode): boolean =>
  fields.setOperations === null && listOf(fields.groupingSets).length === 0

/** Returns the sources, by position, on the nullable side of an outer join. */
function emptySides(query: TreeNode): Set<number> {
  const found = new Set<number>()
  const visit = (tree: Tree | undefined, isEmpty: boolean): void => {
    if (isNode(tree, 'RANGETBLREF') && isEmpty) found.add(Number(tree.fields.rtindex))
    if (isNode(tree, 'FROMEXPR')) for (const one of listOf(tree.fields.fromlist)) visit(one, isEmpty)
    if (!isNode(tree, 'JOINEXPR')) return
    const { jointype, rtindex, larg, rarg } = tree.fields
    if (isEmpty) found.add(Number(rtindex))
    visit(larg, isEmpty || (jointype !== JOIN.inner && jointype !== JOIN.left))
    visit(rarg, isEmpty || (jointype !== JOIN.inner && jointype !== JOIN.right))
  }
  visit(query.fields.jointree, false)
  return found
}
