import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATA, SCHEMA } from './testing/books.ts'
import { openRest, type RestHarness } from './testing/service.ts'

let rest: RestHarness
beforeAll(async () => {
  rest = await openRest(SCHEMA)
})
afterAll(() => rest.close())

describe('reading', () => {
  beforeAll(() => rest.db.exec(DATA))

  test.each<[string, () => PromiseLike<{ data: unknown; error: unknown }>, unknown]>([
    ['eq and in', () => rest.anon.from('books').select('id').eq('pages', 80).in('id', [1, 2]), [{ id: 2 }]],
    [
      'like any',
      () => rest.anon.from('books').select('title').likeAnyOf('title', ['A%', 'G%']),
      [{ title: 'Alpha' }, { title: 'Gamma' }],
    ],
    ['is and not', () => rest.anon.from('books').select('id').not('data', 'is', null), [{ id: 1 }, { id: 3 }]],
    [
      'or',
      () => rest.anon.from('books').select('id').or('id.eq.1,and(pages.gt.100,title.eq.Gamma)'),
      [{ id: 1 }, { id: 3 }],
    ],
    ['ranges', () => rest.anon.from('books').select('id').rangeAdjacent('during', '[9,10)'), [{ id: 2 }]],
    [
      'contains',
      () =>
        rest.anon
          .from('books')
          .select('id')
          .contains('data', { a: [1] }),
      [{ id: 1 }],
    ],
    [
      'text search',
      () => rest.anon.from('books').select('id').textSearch('title', 'gamma', { config: 'english' }),
      [{ id: 3 }],
    ],
    [
      'JSON paths and casts',
      () => rest.anon.from('books').select('x:data->a->1->>b,id::text').eq('data->a->>0', 1),
      [{ x: 'x', id: '1' }],
    ],
    [
      'order and page',
      () => rest.anon.from('books').select('id').order('pages', { ascending: false }).range(1, 2),
      [{ id: 1 }, { id: 2 }],
    ],
    ['enums', () => rest.anon.from('authors').select('name').eq('mood', 'stormy'), [{ name: 'Cy' }]],
    [
      'to-one',
      () => rest.anon.from('books').select('title,authors(name)').eq('id', 3),
      [{ title: 'Gamma', authors: { name: 'Ben' } }],
    ],
    [
      'to-many, filtered and limited',
      () =>
        rest.anon
          .from('authors')
          .select('name,books(title)')
          .order('title', { referencedTable: 'books', ascending: false })
          .limit(1, { referencedTable: 'books' })
          .eq('id', 1),
      [{ name: 'Ada', books: [{ title: 'Beta' }] }],
    ],
    [
      'many-to-many',
      () => rest.anon.from('books').select('id,tags(name)').eq('id', 1),
      [{ id: 1, tags: [{ name: 'red' }, { name: 'blue' }] }],
    ],
    [
      'one-to-one',
      () => rest.anon.from('books').select('id,covers(colour)').lt('id', 3),
      [
        { id: 1, covers: { colour: 'green' } },
        { id: 2, covers: null },
      ],
    ],
    [
      'inner joins',
      () => rest.anon.from('authors').select('name,books!inner()').gt('books.pages', 200),
      [{ name: 'Ben' }],
    ],
    [
      'null filters on embeds',
      () => rest.anon.from('authors').select('name,books()').is('books', null),
      [{ name: 'Cy' }],
    ],
    [
      'spread',
      () => rest.anon.from('books').select('title,...authors(writer:name)').eq('id', 1),
      [{ title: 'Alpha', writer: 'Ada' }],
    ],
    [
      'views',
      () => rest.anon.from('titles').select('title,authors(name),tags(name)').eq('book', 3),
      [{ title: 'Gamma', authors: { name: 'Ben' }, tags: [{ name: 'blue' }] }],
    ],
    [
      'computed relationships',
      () => rest.anon.from('authors').select('name,coauthors(name)').eq('id', 3),
      [{ name: 'Cy', coauthors: [{ name: 'Ada' }, { name: 'Ben' }] }],
    ],
    ['one object', () => rest.anon.from('books').select('title').eq('id', 1).single(), { title: 'Alpha' }],
    ['CSV', () => rest.anon.from('books').select('id,title').lt('id', 3).csv(), 'id,title\n1,Alpha\n2,Beta'],
  ])('%s', async (_name, ask, expected) => {
    const { data, error } = await ask()
    expect(error).toBeNull()
    expect(data).toEqual(expected)
  })

  test('counts and ranges', async () => {
    const { count, data, status } = await rest.anon.from('books').select('id', { count: 'exact' }).limit(2)
    expect({ count, rows: data?.length, status }).toEqual({ count: 3, rows: 2, status: 206 })
    const head = await rest.anon.from('books').select('*', { count: 'exact', head: true })
    expect([head.count, head.data]).toEqual([3, null])
    const beyond = await rest.fetch('/books?offset=10', { headers: { prefer: 'count=exact' } })
    expect([beyond.status, beyond.headers.get('content-range'), await beyond.json()]).toEqual([
      416,
      '*/3',
      {
        code: 'PGRST103',
        details: 'An offset of 10 was requested, but there are only 3 rows.',
        hint: null,
        message: 'Requested range not satisfiable',
      },
    ])
  })

  test.each([
    ['a page', 'select=id&order=id&limit=2', 206, '0-1/3', [{ id: 1 }, { id: 2 }]],
    ['the last page', 'select=id&order=id&limit=2&offset=2', 206, '2-2/3', [{ id: 3 }]],
    ['a page after the last', 'select=id&order=id&limit=2&offset=3', 206, '*/3', []],
    ['nothing', 'select=id&id=eq.99&limit=2', 200, '*/0', []],
    ['a page of size 0', 'select=id&limit=0', 206, '*/3', []],
    ['with an embed', 'select=id,authors(id)&order=id.desc&limit=1', 206, '0-0/3', [{ id: 3, authors: { id: 2 } }]],
    [
      'with one that must be there',
      'select=id,authors!inner(id)&authors.id=eq.2&limit=1',
      200,
      '0-0/1',
      [{ id: 3, authors: { id: 2 } }],
    ],
  ])('counted: %s', async (_, search, status, range, rows) => {
    const response = await rest.fetch(`/books?${search}`, { headers: { prefer: 'count=exact' } })
    expect([response.status, response.headers.get('content-range'), await response.json()]).toEqual([
      status,
      range,
      rows,
    ])
  })

  test('counted: one row', async () => {
    const headers = { prefer: 'count=exact', accept: 'application/vnd.pgrst.object+json' }
    const one = await rest.fetch('/books?select=id&id=eq.2&limit=5', { headers })
    expect([one.headers.get('content-range'), await one.json()]).toEqual(['0-0/1', { id: 2 }])
    const none = await rest.fetch('/books?select=id&id=eq.99&limit=5', { headers })
    expect([none.status, await none.json()]).toMatchObject([
      406,
      { code: 'PGRST116', details: 'The result contains 0 rows' },
    ])
  })

  test("the body is Postgres's JSON byte for byte", async () => {
    const response = await rest.fetch('/books?select=id,tags(name)&id=in.(1,3)')
    expect(await response.text()).toBe(
      '[{"id":1,"tags":[{"name": "red"}, {"name": "blue"}]}, \n {"id":3,"tags":[{"name": "blue"}]}]',
    )
    expect(response.headers.get('content-range')).toBe('0-1/*')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test("repeats a read whose rows can't be converted to JSON here, with the same result", async () => {
    for (let time = 0; time < 2; time++) {
      const { data } = await rest.anon.from('pots').select().throwOnError()
      expect(data).toEqual([{ id: 1, size: { height: 2, name: 'tall' } }])
    }
    await rest.db.exec("insert into eras values (2, '2026-01-02')")
    const years = () => rest.anon.from('eras').select('day').order('id').throwOnError()
    expect((await years()).data).toEqual([{ day: '2026-01-02' }])
    await rest.db.exec("insert into eras values (1, '0044-03-15 BC')")
    expect((await years()).data).toEqual([{ day: '0044-03-15 BC' }, { day: '2026-01-02' }])
  })

  test('applies response settings made by a view', async () => {
    const response = await rest.fetch('/brews')
    expect([response.status, response.headers.get('x-pot'), await response.json()]).toEqual([
      418,
      'tea',
      [{ teapot: 1 }],
    ])
  })

  test('tells caches what a response depends on', async () => {
    expect((await rest.fetch('/books')).headers.get('vary')).toBe('Accept, Prefer, Range, Origin')
  })

  describe('the time zone of a request', () => {
    const moment = (timezone: string) =>
      rest.fetch('/moments', { headers: { prefer: `handling=lenient, timezone=${timezone}` } })
    beforeAll(() =>
      rest.db.exec(`
        create table public.moments (at timestamptz);
        insert into moments values ('2026-07-01 12:00:00Z');
        notify pgrst, 'reload schema'`),
    )

    test.each([
      ['Europe/Berlin', '2026-07-01T14:00:00+02:00'],
      ['-4', '2026-07-01T08:00:00-04:00'],
      // As in POSIX, an offset with minutes counts from the west.
      ['+05:30', '2026-07-01T06:30:00-05:30'],
    ])('%s', async (timezone, at) => {
      const response = await moment(timezone)
      expect(await response.json()).toEqual([{ at }])
      expect(response.headers.get('preference-applied')).toBe(`handling=lenient, timezone=${timezone}`)
    })

    test.each([
      ['Nowhere/Town', 'invalid value for parameter "TimeZone": "Nowhere/Town"', null],
      ['05:30:15', 'time zone "05:30:15" appears to use leap seconds', 'PostgreSQL does not support leap seconds.'],
    ])('rejects %s', async (timezone, message, details) => {
      const response = await moment(timezone)
      expect([response.status, await response.json()]).toEqual([400, { code: '22023', details, hint: null, message }])
    })
  })

  test("accepts an aliased embed's table name in parameters, with a warning", async () => {
    const aliased = await rest.fetch('/authors?select=written:books(id)&books.id=eq.1&id=eq.1')
    expect(await aliased.json()).toEqual([{ written: [{ id: 1 }] }])
    expect(aliased.headers.get('warning')).toMatch(/^299 PostgRESTv16\.\d+ ".* Update `books` to `written` in /)
    const current = await rest.fetch('/authors?select=written:books(id)&written.id=eq.1&id=eq.1')
    expect(await current.json()).toEqual([{ written: [{ id: 1 }] }])
    expect(current.headers.has('warning')).toBe(false)
  })

  test('leaves out nulls on request', async () => {
    const response = await rest.fetch('/books?select=id,data&id=eq.2', {
      headers: { accept: 'application/vnd.pgrst.array+json;nulls=stripped' },
    })
    expect(await response.json()).toEqual([{ id: 2 }])
  })
})
