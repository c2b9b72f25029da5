import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readAdvisors } from '../../project-tools/advisors/index.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { parseSchedule } from './cron/schedule.ts'
import { SHIMS as ALL } from './shims.ts'

/** index_advisor needs hypopg, which some machines lack; see native-extensions.test.ts. */
const SHIMS = ALL.filter((name) => name !== 'index_advisor')

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
  const missing = SHIMS.map((name) => `create extension if not exists "${name}"`)
  await database.db.runAs('postgres', missing.join(';'))
})
afterAll(() => database.close())

const rows = async (text: string) => (await database.db.query({ text, values: [] })).rows
const value = async (expression: string) => (await rows(`select ${expression} as value`))[0]?.value
const asPostgres = (script: string) => database.db.runAs('postgres', script)

test('functions that run as a superuser never use a type of the caller', async () => {
  const open = await rows(`
    select p.oid::regprocedure::text as name from pg_proc p
    join pg_roles r on r.oid = p.proowner join pg_language l on l.oid = p.prolang
    where p.prosecdef and r.rolsuper and l.lanname in ('sql', 'plpgsql') and not exists (
      select from unnest(p.proconfig) s where s in ('search_path=pg_catalog, pg_temp', 'search_path=""'))`)
  expect(open).toEqual([])
})

test('postgres can create and drop every shim', async () => {
  const other = await openTestDatabase()
  try {
    for (const name of SHIMS) {
      await other.db.runAs(
        'postgres',
        `create extension if not exists "${name}" cascade; drop extension "${name}" cascade`,
      )
      await other.db.runAs('postgres', `create extension "${name}" cascade`)
    }
  } finally {
    await other.close()
  }
})

test('a new project has the extensions of a hosted one', async () => {
  const other = await openTestDatabase()
  const { rows: found } = await other.db.query({ text: 'select extname from pg_extension order by 1', values: [] })
  await other.close()
  expect(found.map(({ extname }) => extname)).toEqual([
    'pg_graphql',
    'pg_net',
    'pg_stat_statements',
    'pgcrypto',
    'pgjwt',
    'plpgsql',
    'supabase_vault',
    'uuid-ossp',
  ])
})

describe('pgjwt', () => {
  const TOKEN = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.8qZF8vbN3UpcanXFc-mPXJkOPN01-bRch8XX3rToP1U'

  test.each([
    [`extensions.sign('{"sub":"1"}', 'secret')`, TOKEN],
    [`(extensions.verify('${TOKEN}', 'secret')).valid`, true],
    [`(extensions.verify('${TOKEN}', 'other')).valid`, false],
    [`(extensions.verify(extensions.sign('{"exp":1}', 's'), 's')).valid`, false],
    [
      `(extensions.verify(extensions.sign('{"exp":99999999999}', 's', 'HS512'), 's', 'HS512')).payload`,
      { exp: 99999999999 },
    ],
    [`extensions.url_decode(extensions.url_encode('\\xfffe00'))`, Buffer.from('fffe00', 'hex')],
  ])('%s', async (expression, expected) => expect(await value(expression)).toEqual(expected))
})

describe('vault', () => {
  test('keeps secrets encrypted and shows them to permitted roles', async () => {
    await asPostgres(
      `select vault.create_secret('s3cr3t', 'key', 'of the API'); insert into vault.secrets (name, secret) values ('older', 'way')`,
    )
    const stored = await rows('select secret from vault.secrets order by name')
    expect(JSON.stringify(stored)).not.toMatch(/s3cr3t|way/)
    expect(await rows('select name, description, decrypted_secret from vault.decrypted_secrets order by name')).toEqual(
      [
        { name: 'key', description: 'of the API', decrypted_secret: 's3cr3t' },
        { name: 'older', description: '', decrypted_secret: 'way' },
      ],
    )
    await asPostgres(`select vault.update_secret(id, 'changed') from vault.secrets where name = 'key'`)
    expect(await value(`(select decrypted_secret from vault.decrypted_secrets where name = 'key')`)).toBe('changed')
    for (const role of ['anon', 'authenticated'])
      await expect(database.db.runAs(role, 'select * from vault.decrypted_secrets')).rejects.toMatchObject({
        code: '42501',
      })
  })

  test('rejects a secret that was changed or moved to another row', async () => {
    await asPostgres(`select vault.create_secret('a', 'a'), vault.create_secret('b', 'b')`)
    await database.db.exec(`alter table vault.secrets disable trigger all;
      update vault.secrets set secret = (select secret from vault.secrets where name = 'a') where name = 'b';
      alter table vault.secrets enable trigger all`)
    await expect(rows(`select decrypted_secret from vault.decrypted_secrets where name = 'b'`)).rejects.toThrow(
      'invalid ciphertext',
    )
  })

  test('project functions see neither the key nor keys derived from it', async () => {
    const spy = (signature: string, result: string) =>
      `create function extensions.${signature} returns ${result} language plpgsql as $$ begin
         insert into public.seen values (1); return null; end $$`
    await asPostgres(`create table public.seen (id int); grant insert on public.seen to public;
      ${spy('substr(bytea, int)', 'bytea')}; ${spy('substr(bytea, int, int)', 'bytea')};
      ${spy('length(bytea)', 'int')}; ${spy('hmac(bytea, bytea, varchar)', 'bytea')};
      ${spy('encrypt_iv(bytea, bytea, bytea, varchar)', 'bytea')};
      select vault.create_secret('s', 'spied')`)
    expect(await value(`(select decrypted_secret from vault.decrypted_secrets where name = 'spied')`)).toBe('s')
    expect(await rows('select from public.seen')).toEqual([])
    expect(
      await rows(`select p.proname from pg_proc p join pg_roles r on r.oid = p.proowner
        where r.rolname = 'undock_vault' and 'search_path=pg_catalog, pg_temp' <> all (p.proconfig)`),
    ).toEqual([])
    await asPostgres(
      'drop function extensions.substr(bytea, int), extensions.substr(bytea, int, int), extensions.length(bytea)',
    )
  })

  test('a replaced pgcrypto function receives nothing', async () => {
    await expect(
      database.db.exec(`
        create or replace function extensions.encrypt_iv(bytea, bytea, bytea, text) returns bytea language sql as 'select $1';
        select vault.create_secret('x')`),
    ).rejects.toThrow('a function of pgcrypto was replaced')
  })

  test.each([
    ['the key', 'select vault._key()'],
    ['a key derived from it', `select vault._part('encryption')`],
  ])('no role can read %s', async (_name, query) => {
    for (const role of ['anon', 'service_role', 'postgres'])
      await expect(database.db.runAs(role, query)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('pg_jsonschema', () => {
  test.each([
    ['{"type":"string","maxLength":2}', '"abc"', ['/: "abc" is longer than 2 characters']],
    ['{"type":["integer","null"]}', '1.5', ['/: 1.5 is not of type ["integer", "null"]']],
    ['{"type":"integer"}', '2.0', []],
    ['{"enum":["a",1]}', '"b"', ['/: "b" is not one of ["a", 1]']],
    ['{"required":["a"],"properties":{"a":{"minimum":3}}}', '{"a":2}', ['/a: 2 is less than the minimum of 3']],
    ['{"required":["a"]}', '{}', ['/: "a" is a required property']],
    [
      '{"additionalProperties":false,"patternProperties":{"^x":{}}}',
      '{"x1":1,"y":1}',
      ['/: additional property "y" is not allowed'],
    ],
    [
      '{"items":{"type":"number"},"uniqueItems":true}',
      '[1,"a",1]',
      ['/: has non-unique items', '/1: "a" is not of type "number"'],
    ],
    ['{"oneOf":[{"type":"number"},{"minimum":2}]}', '3', ['/: 3 is valid under 2 of the given schemas, not one']],
    ['{"if":{"required":["a"]},"then":{"required":["b"]}}', '{"a":1}', ['/: "b" is a required property']],
    [
      '{"$defs":{"p":{"type":"object","properties":{"next":{"$ref":"#/$defs/p"}}}},"$ref":"#/$defs/p"}',
      '{"next":{"next":1}}',
      ['/next/next: 1 is not of type "object"'],
    ],
    ['false', '1', ['/: no value is allowed here']],
  ])('%s of %s', async (schema, instance, expected) => {
    const found = (await value(`jsonschema_validation_errors('${schema}', '${instance}')`)) as string[]
    expect(found.map((one) => one.replace(/^:/, '/:'))).toEqual(expected)
    expect(await value(`jsonb_matches_schema('${schema}', '${instance}')`)).toBe(expected.length === 0)
  })

  test('an endless reference is an error', async () => {
    await expect(value(`json_matches_schema('{"$ref":"#"}', '1')`)).rejects.toThrow('refers to itself')
  })
})

test.each([
  [`select cron.schedule('no', '* * *', 'select 1')`, 'invalid schedule: * * *'],
  [`select cron.unschedule('nobody')`, `could not find valid entry for job 'nobody'`],
  [
    `select cron.schedule_in_database('x', '* * * * *', 'select 1', 'postgres', 'nobody')`,
    'role "nobody" does not exist',
  ],
  [`delete from cron.job`, 'permission denied for table job'],
  [`select net.http_post('http://x', '{}', headers := '{"Content-Type":"text/plain"}')`, 'must be "application/json"'],
  [`select pgsodium.crypto_secretbox('a', 'b', 'c')`, 'pgsodium.crypto_secretbox cannot run in undock'],
])('%s fails with a clear error', async (script, message) => {
  await expect(asPostgres(script)).rejects.toThrow(message)
})

test("postgres can create servers with an extension's foreign data wrapper", async () => {
  await asPostgres('create extension postgres_fdw; create server elsewhere foreign data wrapper postgres_fdw')
  expect(
    await rows(`select srvowner::regrole::text as owner from pg_foreign_server where srvname = 'elsewhere'`),
  ).toEqual([{ owner: 'postgres' }])
})

test('pg_graphql reports that it is missing', async () => {
  expect(await value(`graphql_public.graphql(query := '{ a }') -> 'errors' -> 0 ->> 'message'`)).toContain(
    'does not serve GraphQL',
  )
})

test.each<[boolean, string]>([
  [true, '* * * * *'],
  [true, ' 0,30 8-17/3 $ JAN-feb mon-7\n'],
  [true, '59 23 31 12 7'],
  [true, '@restart'],
  [true, '59 seconds'],
  ...[
    '60 * * * *',
    '0 24 * * *',
    '0 0 32 * *',
    '0 0 0 * *',
    '0 0 * 13 *',
    '0 0 * 0 *',
    '0 0 * * 8',
    '1,2,99 * * * *',
  ].map((one): [boolean, string] => [false, one]),
  ...['*/0 * * * *', '*/60 * * * *', '5/10 * * * *', '1,,2 * * * *', '0-60 * * * *', 'jan * * * *', '? * * * *'].map(
    (one): [boolean, string] => [false, one],
  ),
])('pg_cron accepts (%s) %j, and the scheduler reads it the same way', async (isValid, schedule) => {
  expect(parseSchedule(schedule) !== null).toBe(isValid)
  const scheduled = asPostgres(
    `select cron.schedule('ranges', $$${schedule}$$, 'select 1'); select cron.unschedule('ranges')`,
  )
  await (isValid ? scheduled : expect(scheduled).rejects.toThrow('invalid schedule'))
})

test('pg_cron is in pg_catalog, as on a hosted project, without an advisor warning', async () => {
  await asPostgres('drop extension pg_cron cascade; create extension pg_cron with schema extensions')
  const schemas = `select extnamespace::regnamespace::text as schema from pg_extension where extname = 'pg_cron'`
  expect(await rows(schemas)).toEqual([{ schema: 'pg_catalog' }])
  const read = async (text: string, values: readonly unknown[]) => (await database.db.query({ text, values })).rows
  const found = await readAdvisors(read, ['public'])
  expect(found.filter(({ metadata }) => metadata.name === 'pg_cron')).toEqual([])
})
