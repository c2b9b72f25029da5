import { expect, test } from 'vitest'
import type { Catalog } from './catalog.ts'
import { typescriptOf } from './typescript.ts'

// tests/nightly/types.test.ts compares the bytes with the CLI's.

/** A view of table 10 whose first column is the table's first, joined with more if `join` is given. */
const tree = (join = '{RANGETBLREF :rtindex 1}') =>
  `({QUERY :commandType 1 :rtable ({RANGETBLENTRY :rtekind 0 :relid 10} {RANGETBLENTRY :rtekind 0 :relid 11})
    :jointree {FROMEXPR :fromlist (${join}) :quals <>} :groupingSets <> :setOperations <>
    :targetList ({TARGETENTRY :expr {VAR :varno 1 :varattno 1 :varlevelsup 0} :resno 1 :resname a\\}\\ b
      :resorigtbl 10 :resorigcol 1 :resjunk false})})`

const column = (table: number, name: string, more: Partial<Catalog['columns'][number]> = {}) => ({
  ...{ table, number: 1, name, type: 'int4', typeSchema: 'pg_catalog', isIdentity: false, isAlwaysGenerated: false },
  ...{ isNullable: true, isUpdatable: false, hasDefault: false, comment: null },
  ...more,
})
const relation = (id: number, name: string, kind: 'r' | 'v') => ({
  ...{ id, schema: 'public', name, kind, takesInsert: false, takesUpdate: false },
})

const CATALOG: Catalog = {
  schemas: ['public'],
  relations: [relation(10, 'notes', 'r'), relation(20, 'plain', 'v'), relation(30, 'joined', 'v')],
  columns: [column(10, 'id', { isNullable: false, hasDefault: true }), column(20, 'id'), column(30, 'id')],
  views: [
    { id: 20, schema: 'public', name: 'plain', tree: tree(), columns: { 1: 'id' }, notNull: [[10, 1]] },
    {
      ...{ id: 30, schema: 'public', name: 'joined', columns: { 1: 'id' }, notNull: [[10, 1] as const] },
      tree: tree('{JOINEXPR :jointype 3 :larg {RANGETBLREF :rtindex 1} :rarg {RANGETBLREF :rtindex 2} :rtindex 3}'),
    },
  ],
  keys: [
    {
      ...{ name: 'notes_id_fkey', schema: 'public', relation: 'notes', table: 10, numbers: [1], columns: ['id'] },
      ...{ referencedSchema: 'public', referencedRelation: 'users', referencedTable: 11, referencedNumbers: [1] },
      ...{ referencedColumns: ['id'], isOneToOne: true },
    },
  ],
  types: [],
  routines: [],
}

const written = typescriptOf(CATALOG, []).replaceAll(/\s+/g, ' ')

test("a view's NOT NULL columns aren't nullable unless from an outer join", () => {
  expect(written).toContain('"plain": { Row: { "id": number }')
  expect(written).toContain('"joined": { Row: { "id": number | null }')
  expect(written).toContain('"notes": { Row: { "id": number } ComputedFields: never Insert: { "id"?: number }')
})

test('a view has the foreign keys of the columns it shows', () => {
  const keys = written.match(/foreignKeyName: "notes_id_fkey" columns: \["id"\] isOneToOne: true/g)
  expect(keys).toHaveLength(3)
})

test('an unreadable query tree leaves its view unchanged', () => {
  const views = CATALOG.views.map((view) => ({ ...view, tree: '({QUERY :targetList' }))
  expect(typescriptOf({ ...CATALOG, views }, [])).toContain('"id": number | null')
})
