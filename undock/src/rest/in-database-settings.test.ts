import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openRest, type RestHarness } from './testing/service.ts'

let rest: RestHarness
beforeAll(async () => {
  rest = await openRest(`
    create table public.notes (id int primary key, text text);
    insert into public.notes values (1, 'one'), (2, 'two');
    create role guest nologin;
    grant guest to authenticator;
    create function public.level() returns text language sql stable as $$ select current_setting('transaction_isolation') $$;
    create function public.repeatable() returns text language sql stable set default_transaction_isolation = 'repeatable read'
      as $$ select current_setting('transaction_isolation') $$;
    create function public.sleep() returns void language sql stable as $$ select pg_sleep(60) $$;
    create function public.brief_sleep() returns void language sql stable set statement_timeout = '50ms'
      as $$ select pg_sleep(60) $$;
    create function public.me() returns text language sql stable as $$ select current_user::text $$;
    create function public.before() returns void language plpgsql as $$
    begin
      if current_setting('request.path') = '/notes' then raise sqlstate 'PT403' using message = 'not today'; end if;
    end $$;
    create function public.configure() returns void language sql as $$
      select set_config('pgrst.db_max_rows', '1', true), set_config('pgrst.server_timing_enabled', 'true', true)
    $$;
  `)
})
afterAll(() => rest.close())

const set = (...settings: [name: string, value: string][]) =>
  rest.db.exec(
    `${settings.map(([name, value]) => `alter role authenticator set ${name} = '${value}';`).join('\n')} notify pgrst, 'reload config'`,
  )

afterEach(() =>
  rest.db.exec(`
    alter role authenticator reset all;
    alter role anon reset all;
    alter role authenticator set safeupdate.enabled = 'on';
    notify pgrst, 'reload config'`),
)

describe('the caller', () => {
  test('gets PGRST302 without a token and an anonymous role', async () => {
    await set(['pgrst.db_anon_role', ''])
    const response = await rest.fetch('/notes')
    expect([response.status, response.headers.get('www-authenticate'), await response.json()]).toEqual([
      401,
      'Bearer',
      { code: 'PGRST302', details: null, hint: null, message: 'Anonymous access is disabled' },
    ])
    const user = await rest.as({ sub: 'a', role: 'authenticated' })
    expect((await user.from('notes').select('id').eq('id', 1)).data).toEqual([{ id: 1 }])
  })

  test('gets PGRST300 for a token when no key is configured', async () => {
    await set(['pgrst.jwt_secret', ''])
    const user = await rest.as({ sub: 'a', role: 'authenticated' })
    const { status, error } = await user.from('notes').select()
    expect([status, error]).toEqual([
      500,
      { code: 'PGRST300', details: null, hint: null, message: 'Server lacks JWT secret' },
    ])
    expect((await rest.fetch('/notes')).status).toBe(200)
  })

  test('can have another anonymous role, and the role of another claim', async () => {
    await set(['pgrst.db_anon_role', 'guest'], ['pgrst.jwt_role_claim_key', '$.app.roles[0]'])
    expect(await (await rest.fetch('/rpc/me')).json()).toBe('guest')
    const user = await rest.as({ sub: 'a', role: 'ignored', app: { roles: ['authenticated'] } } as never)
    expect((await user.rpc('me', {}, { get: true })).data).toBe('authenticated')
  })

  test('can be rejected by the pre-request function', async () => {
    await set(['pgrst.db_pre_request', 'public.before'])
    const refused = await rest.fetch('/notes')
    expect([refused.status, await refused.json()]).toMatchObject([403, { message: 'not today' }])
    expect((await rest.fetch('/rpc/me')).status).toBe(200)
  })
})

describe('the transaction', () => {
  test('has the isolation level of the function, else of the role', async () => {
    expect(await (await rest.fetch('/rpc/level')).json()).toBe('read committed')
    expect(await (await rest.fetch('/rpc/repeatable')).json()).toBe('repeatable read')
    await rest.db.exec(
      `alter role anon set default_transaction_isolation = 'serializable'; notify pgrst, 'reload config'`,
    )
    expect(await (await rest.fetch('/rpc/level')).json()).toBe('serializable')
    expect(await (await rest.fetch('/rpc/repeatable')).json()).toBe('repeatable read')
  })

  test('has the statement timeout of the function, else of the role', async () => {
    const canceled = { code: '57014', message: 'canceling statement due to statement timeout' }
    expect(await (await rest.fetch('/rpc/brief_sleep')).json()).toMatchObject(canceled)
    await rest.db.exec(`alter role anon set statement_timeout = '50ms'; notify pgrst, 'reload config'`)
    const ended = await rest.fetch('/rpc/sleep')
    expect([ended.status, await ended.json()]).toMatchObject([500, canceled])
  })

  test.each([
    ['PATCH', '{"text": "x"}', 'UPDATE'],
    ['DELETE', '', 'DELETE'],
  ])('rejects %s of all rows without a filter', async (method, body, word) => {
    const refused = await rest.fetch('/notes', { method, ...(body ? { body } : {}) })
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { code: '21000', details: null, hint: null, message: `${word} requires a WHERE clause` },
    ])
    await set(['safeupdate.enabled', 'off'], ['pgrst.db_tx_end', 'rollback'])
    expect((await rest.fetch('/notes', { method, ...(body ? { body } : {}) })).status).toBe(204)
  })
})

describe('the response', () => {
  test('includes only code and message with minimal errors', async () => {
    await set(['pgrst.client_error_verbosity', 'minimal'])
    expect(await (await rest.fetch('/note')).json()).toEqual({
      code: 'PGRST205',
      message: "Could not find the table 'public.note' in the schema cache",
    })
    const beyond = await rest.fetch('/notes?offset=9', { headers: { prefer: 'count=exact' } })
    expect(await beyond.json()).toEqual({ code: 'PGRST103', message: 'Requested range not satisfiable' })
  })

  test('reports the time of each stage on request', async () => {
    expect((await rest.fetch('/notes')).headers.get('server-timing')).toBeNull()
    await set(['pgrst.server_timing_enabled', 'true'])
    for (const path of ['/notes', '/rpc/me', '/']) {
      expect((await rest.fetch(path)).headers.get('server-timing')).toMatch(
        /^jwt;dur=\d+\.\d, parse;dur=\d+\.\d, plan;dur=\d+\.\d, transaction;dur=\d+\.\d, response;dur=\d+\.\d$/,
      )
    }
  })

  test('to the root comes from a function, with or without schema', async () => {
    for (const name of ['me', 'public.me']) {
      await set(['pgrst.db_root_spec', name])
      expect(await (await rest.fetch('/')).json()).toBe('anon')
    }
  })

  test('repeats the trace header, also in errors', async () => {
    await set(['pgrst.server_trace_header', 'X-Request-Id'])
    const headers = { 'x-request-id': 'abc' }
    expect((await rest.fetch('/notes', { headers })).headers.get('x-request-id')).toBe('abc')
    expect((await rest.fetch('/nowhere', { headers })).headers.get('x-request-id')).toBe('abc')
  })
})

describe('an aliased embed', () => {
  beforeAll(() =>
    rest.db.exec(`
      create table public.replies (id int primary key, note int references public.notes, text text);
      insert into public.replies values (1, 1, 'yes'), (2, 1, 'no');
      notify pgrst, 'reload schema'`),
  )

  test("hides its table's name if url_use_legacy_target_names is off", async () => {
    await set(['pgrst.url_use_legacy_target_names', 'false'])
    const refused = await rest.fetch('/notes?select=answers:replies(id)&replies.text=eq.yes')
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        code: 'PGRST108',
        details: 'Target names are not allowed in filters if they have an alias',
        hint: "Change 'replies' to 'answers' in filters, orders or limits.",
        message: "'replies' is not an embedded resource in this request",
      },
    ])
  })

  test('can then be embedded next to its table, each with its own filters', async () => {
    await set(['pgrst.url_use_legacy_target_names', 'false'])
    const path =
      '/notes?id=eq.1&select=agreed:replies(id),replies(id)&agreed.text=eq.yes&replies.text=eq.no&replies.order=id'
    const response = await rest.fetch(path)
    expect([await response.json(), response.headers.has('warning')]).toEqual([
      [{ agreed: [{ id: 1 }], replies: [{ id: 2 }] }],
      false,
    ])
  })
})

test('statements stay prepared unless db_prepared_statements is off', async () => {
  await rest.db.exec(`create table public.plain (id int);
    create function public.kept() returns bigint language sql as $$
      select count(*) from pg_catalog.pg_prepared_statements where statement like '%"plain"%'
    $$; notify pgrst, 'reload schema'`)
  await set(['pgrst.db_prepared_statements', 'false'])
  await rest.fetch('/plain')
  expect(await (await rest.fetch('/rpc/kept')).json()).toBe(0)
  await set(['pgrst.db_prepared_statements', 'true'])
  await rest.fetch('/plain?select=id')
  expect(await (await rest.fetch('/rpc/kept')).json()).toBeGreaterThan(0)
})

test.each([
  ['pgrst.db_schemas', 'public, pg_catalog'],
  ['pgrst.jwt_secret', 'short'],
  ['pgrst.jwt_role_claim_key', '$.a['],
  ['pgrst.openapi_mode', 'sometimes'],
  ['pgrst.client_error_verbosity', 'silent'],
  ['pgrst.db_tx_end', 'later'],
])('an invalid value of %s changes nothing', async (name, value) => {
  await set(['pgrst.db_max_rows', '1'])
  expect(await (await rest.fetch('/notes?select=id')).json()).toEqual([{ id: 1 }])
  await set(['pgrst.db_max_rows', '2'], [name, value])
  expect(await (await rest.fetch('/notes?select=id')).json()).toEqual([{ id: 1 }])
})

test("a failing settings function keeps the role's settings", async () => {
  await set(['pgrst.db_pre_config', 'public.missing'], ['pgrst.db_max_rows', '1'])
  expect(await (await rest.fetch('/notes?select=id')).json()).toEqual([{ id: 1 }])
})

test('a function can set settings; the role’s own settings take precedence', async () => {
  await set(['pgrst.db_pre_config', 'public.configure'])
  const response = await rest.fetch('/notes?select=id')
  expect([await response.json(), response.headers.has('server-timing')]).toEqual([[{ id: 1 }], true])
  await set(['pgrst.db_max_rows', '2'])
  expect(await (await rest.fetch('/notes?select=id')).json()).toEqual([{ id: 1 }, { id: 2 }])
})

test('database settings apply to every request', async () => {
  await rest.db.exec(`alter database postgres set timezone = 'Asia/Tokyo';
    create function public.zone() returns text language sql stable as $$ select current_setting('timezone') $$;`)
  expect(await (await rest.fetch('/rpc/zone')).json()).toBe('Asia/Tokyo')
  await rest.db.exec(`alter database postgres reset timezone; notify pgrst, 'reload config'`)
  expect(await (await rest.fetch('/rpc/zone')).json()).not.toBe('Asia/Tokyo')
})
