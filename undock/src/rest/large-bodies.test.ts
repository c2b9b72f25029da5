import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRest, type RestHarness } from './testing/service.ts'

const MB = 1024 * 1024
const LIMIT = 24 * MB

let rest: RestHarness
beforeAll(async () => {
  rest = await openRest(
    `create table notes (id int generated always as identity primary key, name text);
     create table guarded (name text);
     alter table guarded enable row level security;
     create policy "everybody reads" on guarded for select using (true);
     create table guest_book (name text);
     alter table guest_book enable row level security;
     create policy "guests write" on guest_book for insert to anon with check (name <> 'x');
     create table diverted (name text);
     alter table diverted enable row level security;
     create function divert() returns trigger language plpgsql as 'begin return null; end';
     create trigger divert before insert on diverted for each row execute function divert();
     create table hidden (name text);
     revoke all on hidden from anon, authenticated;
     create function for_members(name text) returns text language sql as 'select name';
     revoke all on function for_members from public, anon;
     create function take(jsonb) returns int language sql as 'select jsonb_array_length($1)';`,
    LIMIT,
  )
})
afterAll(() => rest.close())

const post = async (path: string, body: BodyInit, headers: Record<string, string> = {}) => {
  const init = { method: 'POST', body, headers, duplex: 'half' } as unknown as { method: string; body: string }
  const response = await rest.fetch(path, init)
  return { status: response.status, body: (await response.json().catch(() => null)) as Record<string, unknown> | null }
}
const csv = { 'content-type': 'text/csv' }
const nonsense = '{'.repeat(MB)

describe('rejects large bodies with 413', () => {
  const refusal = {
    status: 413,
    body: {
      code: '54000',
      message: `The request body is longer than ${LIMIT} bytes`,
      details: null,
      hint: 'Send it in parts, or raise rest_body under [limits] in supabase/undock.toml.',
    },
  }
  test('by Content-Length', async () => {
    expect(await post('/notes', Buffer.alloc(LIMIT + 1, ' '))).toEqual(refusal)
  })
  test('in chunks', async () => {
    const chunks = Readable.from(Array.from({ length: 25 }, () => Buffer.alloc(MB, ' ')))
    expect(await post('/notes', Readable.toWeb(chunks) as BodyInit)).toEqual(refusal)
  })
  test('and stays usable', async () => {
    expect((await post('/notes', '{"name":"after"}')).status).toBe(201)
  })
})

describe('rejects a caller without INSERT before parsing a large body', () => {
  const denied = (message: string) => ({ status: 401, body: expect.objectContaining({ code: '42501', message }) })
  test.each([
    ['/guarded', denied('new row violates row-level security policy for table "guarded"')],
    ['/hidden', denied('permission denied for table hidden')],
    ['/rpc/for_members', denied('permission denied for function for_members')],
    ['/nowhere', { status: 404, body: expect.objectContaining({ code: 'PGRST205' }) }],
    ['/rpc/nothing', { status: 404, body: expect.objectContaining({ code: 'PGRST202' }) }],
  ])('%s', async (path, refused) => {
    expect(await post(path, nonsense)).toEqual(refused)
  })
  test('reports an invalid body to a caller with INSERT', async () => {
    const invalid = expect.objectContaining({ code: 'PGRST102', message: 'Empty or invalid json' })
    expect(await post('/guest_book', nonsense)).toEqual({ status: 400, body: invalid })
  })
})

describe('large bodies are inserted', () => {
  test('CSV', async () => {
    const rows = 60_000
    const made = await post('/notes?columns=name', `name\n${'ab,cd\n'.repeat(rows)}`, { ...csv, prefer: 'count=exact' })
    expect(made.status).toBe(201)
    const { count } = await rest.service.from('notes').select('*', { count: 'exact', head: true }).eq('name', 'ab')
    expect(count).toBe(rows)
  })

  test('JSON from the client with multi-byte text', async () => {
    const name = 'ä€𝄞"\\'.repeat(40_000)
    const { data } = await rest.service
      .from('notes')
      .insert([{ name }, { name: '1' }])
      .select('name')
      .throwOnError()
    expect(data).toEqual([{ name }, { name: '1' }])
  })

  test("JSON as a function's only argument, and with defaults for missing columns", async () => {
    const items = Array.from({ length: 60_000 }, (_, at) => ({ at }))
    expect((await rest.service.rpc('take', items)).data).toBe(60_000)
    const name = 'n'.repeat(300_000)
    const { data } = await rest.service.from('notes').insert([{ name }], { defaultToNull: false }).select().single()
    expect(data).toMatchObject({ name })
  })

  test('when a trigger handles the rows before a policy is checked', async () => {
    expect(await post('/diverted', JSON.stringify([{ name: 'n'.repeat(300_000) }]))).toEqual({
      status: 201,
      body: null,
    })
  })
})
