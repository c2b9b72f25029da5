import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DATA, SCHEMA } from './testing/books.ts'
import { openRest, type RestHarness } from './testing/service.ts'

let rest: RestHarness
beforeAll(async () => {
  rest = await openRest(SCHEMA)
})
afterAll(() => rest.close())

describe('writing', () => {
  beforeEach(() => rest.db.exec(DATA))

  test('insert one, many and CSV', async () => {
    const one = await rest.anon
      .from('books')
      .insert({ title: 'Delta', author_id: 1 })
      .select('title,pages,authors(name)')
      .single()
    expect(one.data).toEqual({ title: 'Delta', pages: 100, authors: { name: 'Ada' } })
    const many = await rest.anon.from('tags').insert([
      { id: 3, name: 'a' },
      { id: 4, name: 'b' },
    ])
    expect([many.status, many.data]).toEqual([201, null])
    const csv = await rest.fetch('/tags', {
      method: 'POST',
      body: 'id,name\n5,"x, y"\n6,NULL\n',
      headers: { 'content-type': 'text/csv', prefer: 'return=representation' },
    })
    expect(await csv.json()).toEqual([
      { id: 5, name: 'x, y' },
      { id: 6, name: null },
    ])
  })

  test('rows with different keys get defaults only on request', async () => {
    const rows = [{ title: 'D', pages: 5 }, { title: 'E' }]
    const nulls = await rest.anon.from('books').insert(rows).select('pages')
    expect(nulls.data).toEqual([{ pages: 5 }, { pages: null }])
    await rest.db.exec(DATA)
    const defaults = await rest.anon.from('books').insert(rows, { defaultToNull: false }).select('pages')
    expect(defaults.data).toEqual([{ pages: 5 }, { pages: 100 }])
  })

  test('upsert merges or ignores, and says whether it created rows', async () => {
    const merged = await rest.anon
      .from('tags')
      .upsert([
        { id: 1, name: 'crimson' },
        { id: 9, name: 'new' },
      ])
      .select()
    expect([merged.status, merged.data]).toEqual([
      201,
      [
        { id: 1, name: 'crimson' },
        { id: 9, name: 'new' },
      ],
    ])
    expect((await rest.anon.from('tags').upsert({ id: 1, name: 'scarlet' })).status).toBe(200)
    const ignored = await rest.anon
      .from('books')
      .upsert({ title: 'Alpha', pages: 1 }, { onConflict: 'title', ignoreDuplicates: true })
      .select()
    expect(ignored.data).toEqual([])
    const put = await rest.fetch('/tags?id=eq.2', { method: 'PUT', body: '{"id": 3, "name": "x"}' })
    expect([put.status, await put.json()]).toMatchObject([400, { code: 'PGRST115' }])
  })

  test('update and delete affect only the filtered rows', async () => {
    const updated = await rest.anon.from('books').update({ pages: 1 }).lt('id', 3).select('id,pages')
    expect(updated.data).toEqual([
      { id: 1, pages: 1 },
      { id: 2, pages: 1 },
    ])
    const removed = await rest.anon.from('books').delete({ count: 'exact' }).eq('author_id', 1)
    expect([removed.status, removed.count]).toEqual([204, 2])
  })

  test('a broken guard rolls back the whole request', async () => {
    const single = await rest.anon.from('books').update({ pages: 1 }).gt('id', 0).select().single()
    expect(single.error).toMatchObject({ code: 'PGRST116', details: 'The result contains 3 rows' })
    const affected = await rest.fetch('/books?id=gt.0', {
      method: 'DELETE',
      headers: { prefer: 'handling=strict, max-affected=2' },
    })
    expect(await affected.json()).toMatchObject({ code: 'PGRST124', details: 'The query affects 3 rows' })
    const { data } = await rest.anon.from('books').select('pages').order('id')
    expect(data).toEqual([{ pages: 120 }, { pages: 80 }, { pages: 300 }])
  })

  test('headers-only gives the Location of the new row', async () => {
    const response = await rest.fetch('/tags', {
      method: 'POST',
      body: '{"id": 7}',
      headers: { prefer: 'return=headers-only' },
    })
    expect([response.status, response.headers.get('location'), response.headers.get('preference-applied')]).toEqual([
      201,
      '/tags?id=eq.7',
      'return=headers-only',
    ])
  })

  test.each([
    ['unique_violation', () => rest.anon.from('tags').insert({ id: 1 }), 409, '23505'],
    ['foreign_key_violation', () => rest.anon.from('books').insert({ title: 'x', author_id: 99 }), 409, '23503'],
    ['not_null_violation', () => rest.anon.from('authors').insert({ id: 9 }), 400, '23502'],
    ['unknown column', () => rest.anon.from('tags').insert({ nope: 1 }), 400, 'PGRST204'],
    ['wrong type', () => rest.anon.from('tags').insert({ id: 'x' }), 400, '22P02'],
  ])('%s', async (_name, ask, status, code) => {
    const answer = await ask()
    expect([answer.status, answer.error?.code]).toEqual([status, code])
  })
})
