import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DATA, SCHEMA } from './testing/books.ts'
import { openRest, type RestHarness } from './testing/service.ts'

let rest: RestHarness
beforeAll(async () => {
  rest = await openRest(SCHEMA)
})
afterAll(() => rest.close())

describe('functions', () => {
  beforeEach(() => rest.db.exec(DATA))

  test('works on no relation, even while its arguments are unknown', async () => {
    expect(await rest.targetOf(new Request('http://localhost/rest/v1/rpc/longest'))).toBeNull()
  })

  test.each<[string, () => PromiseLike<{ data: unknown; error: unknown }>, unknown]>([
    ['named arguments', () => rest.anon.rpc('shout', { word: 'hey', times: 2 }), 'HEYHEY'],
    ['defaults, with GET', () => rest.anon.rpc('shout', { word: 'hey' }, { get: true }), 'HEY'],
    ['variadic', () => rest.anon.rpc('total', { numbers: [1, 2, 3] }), 6],
    [
      'rows with embeds',
      () => rest.anon.rpc('longest', { most: 2 }).select('title,authors(name)'),
      [
        { title: 'Gamma', authors: { name: 'Ben' } },
        { title: 'Alpha', authors: { name: 'Ada' } },
      ],
    ],
    [
      'filters on the result',
      () => rest.anon.rpc('longest', { most: 3 }).select('id').lt('pages', 200).order('id'),
      [{ id: 1 }, { id: 2 }],
    ],
    ['the body as a whole', () => rest.anon.rpc('whole', [{ a: 1 }, { a: 2 }]), 2],
    ['void', () => rest.anon.rpc('nothing'), null],
    ['a function that writes', () => rest.anon.rpc('add_tag', { name: 'x' }), 1000],
  ])('%s', async (_name, ask, expected) => {
    const { data, error } = await ask()
    expect(error).toBeNull()
    expect(data).toEqual(expected)
  })

  test('a repeated parameter is a list', async () => {
    const response = await rest.fetch('/rpc/total?numbers=1&numbers=41')
    expect(await response.json()).toBe(42)
  })

  test("can't write with GET", async () => {
    const response = await rest.fetch('/rpc/add_tag?name=x')
    expect([response.status, await response.json()]).toMatchObject([405, { code: '25006' }])
  })

  test('can set response headers and status', async () => {
    const teapot = await rest.fetch('/rpc/teapot', { method: 'POST' })
    expect([teapot.status, teapot.headers.get('x-pot')]).toEqual([418, 'tea'])
    const custom = await rest.fetch('/rpc/custom_error', { method: 'POST' })
    expect([custom.status, custom.statusText, await custom.json()]).toEqual([
      402,
      'Pay first',
      { code: 'PT402', details: 'Quota exceeded', hint: 'Upgrade', message: 'Pay first' },
    ])
  })

  test('can read the request', async () => {
    const response = await rest.fetch('/rpc/asked', { headers: { 'x-test': 'yes', cookie: 'a=b' } })
    expect(await response.json()).toEqual({
      method: 'GET',
      path: '/rpc/asked',
      role: 'anon',
      claim: 'anon',
      header: 'yes',
      cookie: 'b',
      timeout: '3s',
    })
  })
})
