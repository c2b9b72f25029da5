import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATA, SCHEMA } from './testing/books.ts'
import { openRest, type RestHarness } from './testing/service.ts'

let rest: RestHarness
beforeAll(async () => {
  rest = await openRest(SCHEMA)
})
afterAll(() => rest.close())

describe('the caller', () => {
  beforeAll(() => rest.db.exec(DATA))

  test('is visible to policies through the claims', async () => {
    const user = await rest.as({ sub: '00000000-0000-0000-0000-000000000001', role: 'authenticated' })
    expect((await user.from('secrets').select('note')).data).toEqual([{ note: 'mine' }])
    expect((await rest.anon.from('secrets').select('note')).data).toEqual([])
    expect((await rest.service.from('secrets').select('id').order('id')).data).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('concurrent requests are isolated and leave nothing behind', async () => {
    const session = async () =>
      (
        await rest.db.query({
          text: `select current_user::text as role, current_setting('search_path') as path, coalesce(current_setting('request.jwt.claims', true), '') as claims`,
          values: [],
        })
      ).rows[0]
    const before = await session()
    const users = await Promise.all(
      ['1', '2'].map((digit) => rest.as({ sub: `00000000-0000-0000-0000-00000000000${digit}`, role: 'authenticated' })),
    )
    const notes = ['mine', 'yours']
    const answers = await Promise.all(
      Array.from({ length: 90 }, async (_, turn) => {
        const user = users[turn % 3]
        if (!user) return (await rest.anon.from('secrets').select('note')).data?.length
        if (turn % 9 < 3) await user.from('secrets').select('note').eq('id', 'x')
        const { data } = await user.from('secrets').select('note')
        return data?.map(({ note }) => note).join() === notes[turn % 3]
      }),
    )
    expect(answers).toEqual(Array.from({ length: 90 }, (_, turn) => (turn % 3 === 2 ? 0 : true)))
    expect(await session()).toEqual({ ...before, claims: '' })
  })

  test("gets Postgres's error if row security denies a write", async () => {
    const { status, error } = await rest.anon.from('secrets').insert({ id: 3, note: 'x' })
    expect([status, error]).toEqual([
      401,
      {
        code: '42501',
        details: null,
        hint: null,
        message: 'new row violates row-level security policy for table "secrets"',
      },
    ])
  })

  test.each([
    ['Bearer a.b', 'PGRST301', 'Expected 3 parts in JWT; got 2'],
    ['Bearer eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.AAAA', 'PGRST301', 'No suitable key or wrong key type'],
  ])('rejects %s', async (authorization, code, message) => {
    const response = await rest.fetch('/books', { headers: { authorization } })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", error_description="${message}"`,
    )
    expect(await response.json()).toMatchObject({ code, message })
  })
})

describe('the schema cache', () => {
  test('follows DDL', async () => {
    expect((await rest.fetch('/later')).status).toBe(404)
    await rest.db.exec('create table public.later (id int primary key)')
    expect((await rest.fetch('/later')).status).toBe(200)
    await rest.db.exec('drop table public.later')
    expect((await rest.fetch('/later')).status).toBe(404)
  })

  test("reads the authenticator's settings on notify pgrst, 'reload config'", async () => {
    const ask = () => rest.fetch('/books?select=pages.sum()')
    expect(await (await ask()).json()).toMatchObject({ code: 'PGRST123' })
    await rest.db.exec(
      `alter role authenticator set pgrst.db_aggregates_enabled = 'true'; notify pgrst, 'reload config'`,
    )
    expect(await (await ask()).json()).toEqual([{ sum: 500 }])
    await rest.db.exec(`alter role authenticator reset pgrst.db_aggregates_enabled; notify pgrst, 'reload config'`)
  })

  test('supports tx=rollback and query plans if allowed', async () => {
    await rest.db.exec(`
      alter role authenticator set pgrst.db_tx_end = 'commit-allow-override';
      alter role authenticator set pgrst.db_plan_enabled = 'true';
      notify pgrst, 'reload config'`)
    const headers = { prefer: 'tx=rollback, return=representation' }
    const rolledBack = await rest.fetch('/tags', { method: 'POST', body: '{"id": 77}', headers })
    expect([rolledBack.status, rolledBack.headers.get('preference-applied')]).toEqual([
      201,
      'return=representation, tx=rollback',
    ])
    expect((await rest.anon.from('tags').select().eq('id', 77)).data).toEqual([])
    const { data } = await rest.anon.from('books').select().explain({ format: 'json' })
    expect(data).toMatchObject([{ Plan: { 'Node Type': 'Aggregate' } }])
    const withSettings = await rest.anon.from('books').select().explain({ format: 'json', settings: true })
    expect(withSettings.data).toMatchObject([
      { Settings: { effective_cache_size: '128MB', search_path: '"public", "public", "extensions"' } },
    ])
    expect(Object.keys((withSettings.data as unknown as [{ Settings: object }])[0].Settings)).toHaveLength(2)
    await rest.db.exec(`
      alter role authenticator reset pgrst.db_tx_end; alter role authenticator reset pgrst.db_plan_enabled; notify pgrst, 'reload config'`)
  })
})

test('the root describes what the caller may use', async () => {
  const response = await rest.fetch('/')
  expect(response.headers.get('content-type')).toBe('application/openapi+json; charset=utf-8')
  const document = (await response.json()) as { definitions: Record<string, unknown>; paths: Record<string, object> }
  expect(document.definitions.books).toMatchObject({
    required: ['id', 'title'],
    properties: {
      id: { type: 'integer', format: 'int32', description: 'Note:\nThis is a Primary Key.<pk/>' },
      pages: { default: 100 },
      author_id: { description: "Note:\nThis is a Foreign Key to `authors.id`.<fk table='authors' column='id'/>" },
    },
  })
  expect(Object.keys(document.paths['/rpc/shout'] ?? {})).toEqual(['get', 'post'])
  expect(Object.keys(document.paths['/rpc/add_tag'] ?? {})).toEqual(['post'])
})
