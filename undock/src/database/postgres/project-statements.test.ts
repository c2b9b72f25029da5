import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase, testMajor } from '../../testing/database.ts'
import { provideInstallation } from './installation.ts'

// What a client of the database port may do, as on a hosted project. It talks directly to the server.

const testWithLibrary = test.skipIf(!(await provideInstallation(testMajor, () => undefined)).hasProjectRights)

let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await openTestDatabase()
  await database.db.exec(
    "create role stranger login password 'postgres'; grant create on database postgres to stranger; create extension postgres_fdw schema extensions",
  )
  client = await connect('postgres')
  await client.query(`
    create table public.notes (id int primary key);
    create schema "Odd name";
    create function public.note() returns event_trigger language plpgsql as $$ begin end $$`)
})
afterAll(async () => {
  await client?.end()
  await database?.close()
})
beforeEach(() => client.query('reset role'))

async function connect(user: string): Promise<pg.Client> {
  const one = new pg.Client({ connectionString: Object.assign(new URL(database.url), { username: user }).href })
  await one.connect()
  return one
}

const value = async (expression: string) => (await client.query(`select ${expression} as value`)).rows[0].value

testWithLibrary('event triggers are created, owned and dropped by postgres', async () => {
  const { command } = await client.query(
    `create event trigger "On DDL" on ddl_command_end when tag in ('CREATE TABLE', 'DROP TABLE') execute procedure note()`,
  )
  expect(command).toBe('CREATE')
  expect(
    await value("(select evtowner::regrole || ' ' || evttags::text from pg_event_trigger where evtname = 'On DDL')"),
  ).toBe('postgres {"CREATE TABLE","DROP TABLE"}')
  await client.query('alter event trigger "On DDL" owner to postgres')
  await client.query('alter event trigger "On DDL" disable; drop event trigger "On DDL"')
  await expect(
    client.query('create event trigger e on ddl_command_end execute function missing()'),
  ).rejects.toMatchObject({ code: '42883' })
  await expect(
    client.query("create event trigger e on ddl_command_end when color in ('red') execute function note()"),
  ).rejects.toMatchObject({ code: '42501' })
})

testWithLibrary('publications of all tables and of schemas belong to postgres', async () => {
  await client.query(
    "create publication everything for all tables with (publish = 'insert, update', publish_via_partition_root)",
  )
  expect(
    await value(
      "(select row_to_json(p) from (select pubowner::regrole, puballtables, pubinsert, pubdelete, pubviaroot from pg_publication where pubname = 'everything') p)",
    ),
  ).toEqual({ pubowner: 'postgres', puballtables: true, pubinsert: true, pubdelete: false, pubviaroot: true })
  await client.query('drop publication everything')

  const members = () =>
    value(`(select json_agg(one order by one) from (
    select tablename as one from pg_publication_tables where pubname = 'chosen' and schemaname = 'public'
    union select n.nspname from pg_publication_namespace s join pg_namespace n on n.oid = s.pnnspid) m)`)
  await client.query('create publication chosen for table notes, tables in schema "Odd name"')
  expect(await members()).toEqual(['Odd name', 'notes'])
  await client.query('alter publication chosen set tables in schema current_schema')
  expect(await members()).toEqual(['notes', 'public'])
  await client.query('alter publication chosen add tables in schema "Odd name"')
  await client.query('alter publication chosen drop tables in schema public')
  expect(await members()).toEqual(['Odd name'])
  await expect(client.query('alter publication chosen add tables in schema _undock')).rejects.toMatchObject({
    code: '42501',
  })
  await client.query('drop publication chosen')
})

testWithLibrary('foreign data wrappers take handlers of extensions alone', async () => {
  await client.query('create extension if not exists postgres_fdw with schema extensions')
  await expect(
    client.query('create foreign data wrapper mine handler extensions.postgres_fdw_handler'),
  ).rejects.toMatchObject({ code: '42501', hint: 'Add VALIDATOR extensions.postgres_fdw_validator.' })
  await client.query(
    `create foreign data wrapper mine handler extensions.postgres_fdw_handler validator extensions.postgres_fdw_validator;
     create foreign data wrapper plain options (color 'red', size '2')`,
  )
  expect(
    await value(
      "(select fdwowner::regrole || ' ' || fdwoptions::text from pg_foreign_data_wrapper where fdwname = 'plain')",
    ),
  ).toBe('postgres {color=red,size=2}')
  await client.query('create server there foreign data wrapper mine; drop foreign data wrapper mine cascade')
  await client.query(
    'create function public.own_validator(text[], oid) returns void language plpgsql as $$ begin end $$',
  )
  await expect(client.query('create foreign data wrapper mine validator own_validator')).rejects.toMatchObject({
    code: '42501',
  })
})

testWithLibrary('settings of the project are those of roles and databases', async () => {
  await client.query(`alter role authenticator set pgrst.db_schemas = 'public, api'`)
  await client.query(`alter role anon in database postgres set "app.settings.key" to 'a'`)
  await client.query(`alter database postgres set app.word = 'b'`)
  const settings = () =>
    value("(select jsonb_agg(one order by one) from pg_db_role_setting, unnest(setconfig) one where one ~ 'app|pgrst')")
  expect(await settings()).toEqual(['app.settings.key=a', 'app.word=b', 'pgrst.db_schemas=public, api'])
  await client.query(
    'alter role authenticator reset pgrst.db_schemas; alter role anon in database postgres set app.settings.key to default',
  )
  await client.query('alter database postgres reset app.word')
  expect(await settings()).toBeNull()
  await expect(client.query(`alter role supabase_admin set app.word = 'b'`)).rejects.toMatchObject({ code: '42501' })
  await expect(client.query(`alter role postgres set session_preload_libraries = 'x'`)).rejects.toMatchObject({
    code: '42501',
  })
})

testWithLibrary('an extension moves to a schema of the project', async () => {
  await client.query('create extension cube; alter extension cube set schema "Odd name"')
  expect(await value("(select extnamespace::regnamespace::text from pg_extension where extname = 'cube')")).toBe(
    '"Odd name"',
  )
  await expect(client.query('alter extension cube set schema _undock')).rejects.toMatchObject({ code: '42501' })
})

testWithLibrary('the version of an extension that a migration names is not demanded', async () => {
  const notices: (string | undefined)[] = []
  const note = ({ message }: { message?: string | undefined }) => void notices.push(message)
  client.on('notice', note)
  await client.query("create extension isn schema extensions version '0.1'; alter extension isn update to '0.2'")
  client.off('notice', note)
  expect(notices.filter((one) => one?.includes('not demanded'))).toEqual([
    expect.stringContaining('"0.1"'),
    expect.stringContaining('"0.2"'),
  ])
})

test.each([
  'create event trigger e on ddl_command_end execute function public.note()',
  'create publication p for all tables',
  'create publication p for tables in schema public',
  'create foreign data wrapper w',
  "alter role stranger set app.word = 'x'",
  'alter extension postgres_fdw set schema public',
])('%s is denied to other roles', async (text) => {
  for (const user of ['stranger', 'authenticator']) {
    const other = await connect(user)
    try {
      await expect(other.query(text)).rejects.toMatchObject({ code: '42501' })
    } finally {
      await other.end()
    }
  }
  await client.query('set role anon')
  await expect(client.query(text)).rejects.toMatchObject({ code: '42501' })
})
