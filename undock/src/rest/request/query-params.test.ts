import { describe, expect, test } from 'vitest'
import type { Filter, SelectItem } from './ast.ts'
import { parseQueryParams } from './query-params.ts'

const field = (name: string, changes: Partial<Extract<SelectItem, { kind: 'field' }>> = {}): SelectItem => ({
  kind: 'field',
  field: { name, path: [] },
  aggregate: null,
  aggregateCast: null,
  cast: null,
  alias: null,
  ...changes,
})

const relation = (name: string, select: SelectItem[], changes: object = {}): SelectItem => ({
  kind: 'relation',
  name,
  alias: null,
  hint: null,
  join: null,
  spread: false,
  select,
  ...changes,
})

const key = (value: string) => ({ kind: 'key' as const, value })
const index = (value: string) => ({ kind: 'index' as const, value })

describe('select', () => {
  test.each<[string, string, SelectItem[]]>([
    ['everything by default', '', [field('*')]],
    [
      'fields with alias and cast',
      'select=n:name,id::text',
      [field('name', { alias: 'n' }), field('id', { cast: 'text' })],
    ],
    [
      'JSON paths by key and index',
      'select=data->a->>-1',
      [
        field('data', {
          field: {
            name: 'data',
            path: [
              { arrow: '->', operand: key('a') },
              { arrow: '->>', operand: index('-1') },
            ],
          },
        }),
      ],
    ],
    ['dashes and spaces in names', 'select=first-name,my%20col', [field('first-name'), field('my col')]],
    ['quoted names', 'select="a.b,c(d)"', [field('a.b,c(d)')]],
    ['unicode names', `select=${encodeURIComponent('هویت')}`, [field('هویت')]],
    [
      'embeds with alias, hint and join',
      'select=id,writer:authors!fk!inner(name)',
      [field('id'), relation('authors', [field('name')], { alias: 'writer', hint: 'fk', join: 'inner' })],
    ],
    [
      'nested and empty embeds',
      'select=a(b(*),c())',
      [relation('a', [relation('b', [field('*')]), relation('c', [])])],
    ],
    ['spread embeds', 'select=...authors(name)', [relation('authors', [field('name')], { spread: true })]],
    [
      'aggregates with casts',
      'select=count(),total:price::numeric.sum()::int',
      [
        field('*', { aggregate: 'count' }),
        field('price', { cast: 'numeric', aggregate: 'sum', aggregateCast: 'int', alias: 'total' }),
      ],
    ],
    ['nothing', 'select=', []],
  ])('%s', (_name, search, select) => {
    expect(parseQueryParams(search, { takesArguments: false }).select).toEqual(select)
  })
})

describe('filters', () => {
  const compare = (operator: string, value: string, quantifier: string | null = null): object => ({
    kind: 'quantified',
    operator,
    quantifier,
    value,
  })
  test.each<[string, object, boolean?]>([
    ['eq.1', compare('eq', '1')],
    ['eq.a.b,c(d)', compare('eq', 'a.b,c(d)')],
    ['eq.', compare('eq', '')],
    ['not.gte.3', compare('gte', '3'), true],
    ['gt.3', compare('gt', '3')],
    ['lte.3', compare('lte', '3')],
    ['lt.3', compare('lt', '3')],
    ['like(any).{a*,b*}', compare('like', '{a*,b*}', 'any')],
    ['ilike(all).{a*}', compare('ilike', '{a*}', 'all')],
    ['match.^a', compare('match', '^a')],
    ['imatch.^a', compare('imatch', '^a')],
    ['neq.1', { kind: 'simple', operator: 'neq', value: '1' }],
    ['cs.{1}', { kind: 'simple', operator: 'cs', value: '{1}' }],
    ['cd.{1}', { kind: 'simple', operator: 'cd', value: '{1}' }],
    ['ov.[1,2]', { kind: 'simple', operator: 'ov', value: '[1,2]' }],
    ['sl.(1,2)', { kind: 'simple', operator: 'sl', value: '(1,2)' }],
    ['sr.(1,2)', { kind: 'simple', operator: 'sr', value: '(1,2)' }],
    ['nxr.(1,2)', { kind: 'simple', operator: 'nxr', value: '(1,2)' }],
    ['nxl.(1,2)', { kind: 'simple', operator: 'nxl', value: '(1,2)' }],
    ['adj.(1,2)', { kind: 'simple', operator: 'adj', value: '(1,2)' }],
    ['in.(1,"a,b","c\\"d")', { kind: 'in', values: ['1', 'a,b', 'c"d'] }],
    ['in.()', { kind: 'in', values: [''] }],
    ['is.NULL', { kind: 'is', operand: 'null' }],
    ['is.not_null', { kind: 'is', operand: 'not_null' }],
    ['isdistinct.1', { kind: 'isdistinct', value: '1' }],
    ['fts.cat', { kind: 'fts', operator: 'fts', language: null, value: 'cat' }],
    ['wfts(french).chat', { kind: 'fts', operator: 'wfts', language: 'french', value: 'chat' }],
  ])('%s', (text, operation, not = false) => {
    const { filters } = parseQueryParams(`a.col=${encodeURIComponent(text)}`, { takesArguments: false })
    expect(filters).toEqual([{ path: ['a'], value: { field: { name: 'col', path: [] }, not, operation } }])
  })

  test('are arguments if a function is read and there is no operator', () => {
    const { filters, arguments: args } = parseQueryParams('a=1&b=eq.2&a=3', { takesArguments: true })
    expect(args).toEqual([
      ['a', '1'],
      ['a', '3'],
    ])
    expect(filters.map(({ value }) => value.field.name)).toEqual(['b'])
  })

  test('combine with and, or and not, nested and on embeds', () => {
    const filter = (name: string, value: string): Filter =>
      ({ field: { name, path: [] }, not: false, operation: compare('eq', value) }) as Filter
    const { logic } = parseQueryParams('books.not.or=(a.eq.1,and(b.eq."2,3",c.eq.{4,5}))', { takesArguments: false })
    expect(logic).toEqual([
      {
        path: ['books'],
        value: {
          kind: 'logic',
          not: true,
          operator: 'or',
          operands: [
            { kind: 'filter', filter: filter('a', '1') },
            {
              kind: 'logic',
              not: false,
              operator: 'and',
              operands: [
                { kind: 'filter', filter: filter('b', '2,3') },
                { kind: 'filter', filter: filter('c', '{4,5}') },
              ],
            },
          ],
        },
      },
    ])
  })
})

test('order, ranges, columns and on_conflict', () => {
  const parsed = parseQueryParams(
    'order=a.desc.nullslast,b(c->d)&x.order=e.nullsfirst&limit=5&offset=10&x.limit=2&columns=a,b&on_conflict=c',
    { takesArguments: false },
  )
  const path = [{ arrow: '->', operand: key('d') }]
  expect(parsed.order).toEqual([
    {
      path: [],
      value: [
        { relation: null, field: { name: 'a', path: [] }, direction: 'desc', nulls: 'last' },
        { relation: 'b', field: { name: 'c', path }, direction: null, nulls: null },
      ],
    },
    { path: ['x'], value: [{ relation: null, field: { name: 'e', path: [] }, direction: null, nulls: 'first' }] },
  ])
  expect([...parsed.ranges]).toEqual([
    ['limit', { from: 10, to: 14 }],
    ['x.limit', { from: 0, to: 1 }],
  ])
  expect(parsed.columns).toEqual(['a', 'b'])
  expect(parsed.onConflict).toEqual(['c'])
  expect(parseQueryParams('b=eq.1&a=eq.%2A', { takesArguments: false }).canonical).toBe('a=eq.%2A&b=eq.1')
})

describe('errors match PostgREST', () => {
  test.each([
    [
      'id=noop.1',
      '"failed to parse filter (noop.1)" (line 1, column 1)',
      'unexpected "o" expecting "not" or operator (eq, gt, ...)',
    ],
    [
      'id=1',
      '"failed to parse filter (1)" (line 1, column 1)',
      'unexpected "1" expecting "not" or operator (eq, gt, ...)',
    ],
    [
      'or=()',
      '"failed to parse logic tree (())" (line 1, column 4)',
      'unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
    ],
    [
      'or=(id.in.1,2)',
      '"failed to parse logic tree ((id.in.1,2))" (line 1, column 10)',
      'unexpected "1" expecting "("',
    ],
    [
      'select=data->>--34',
      '"failed to parse select parameter (data->>--34)" (line 1, column 9)',
      'unexpected "-" expecting digit',
    ],
    [
      'select=name!hint',
      '"failed to parse select parameter (name!hint)" (line 1, column 5)',
      'unexpected \'!\' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input',
    ],
    [
      'order=id.descc',
      '"failed to parse order (id.descc)" (line 1, column 8)',
      'unexpected \'c\' expecting delimiter (.), "," or end of input',
    ],
    [
      'order=id.ac',
      '"failed to parse order (id.ac)" (line 1, column 4)',
      'unexpected "c" expecting "asc", "desc", "nullsfirst" or "nullslast"',
    ],
  ])('%s', (search, message, details) => {
    expect(() => parseQueryParams(search, { takesArguments: false })).toThrow(
      expect.objectContaining({ code: 'PGRST100', message, details }),
    )
  })
})
