import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UserError } from '../../kernel/service-error.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { dumpData, dumpRoles, dumpSchema } from './dump.ts'

// Names, comments and texts that look like SQL when a dump is split into lines.

type OpenDatabase = {
  readonly database: TestDatabase
  readonly client: pg.Client
  readonly url: string
}

async function open(): Promise<OpenDatabase> {
  const database = await openTestDatabase()
  const { url } = database
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return { database, client, url }
}

async function close({ database, client }: OpenDatabase): Promise<void> {
  await client.end()
  await database.close()
}

let from: OpenDatabase
let to: OpenDatabase
beforeAll(async () => {
  from = await open()
  to = await open()
})
afterAll(async () => {
  await close(from)
  await close(to)
})

const INJECTED = 'create table public.injected ()'
const NAMES = [
  `quote"and'`,
  `line\n; ${INJECTED}; --`,
  `\n--"; ${INJECTED}; --`,
  `dollar$$ $x$ ${INJECTED}`.slice(0, 60),
  `back\\slash\\"`,
  `\n\\! touch /tmp/undock-injected\n`,
  `ünï😀\u2028`,
  ` ${INJECTED};`,
].map((name) => Buffer.from(name).subarray(0, 63).toString().replaceAll('\ufffd', ''))

const TEXTS = [
  `a\n--`,
  `'; ${INJECTED}; --`,
  `\n--'; ${INJECTED};\n--`,
  `\nCREATE EVENT TRIGGER x; ${INJECTED};`,
  `x\n; ${INJECTED};\nCOMMENT ON EXTENSION "pgcrypto" IS '`,
]

const id = pg.escapeIdentifier
const text = pg.escapeLiteral

test.each([true, false])(
  'a dump of hostile names recreates the same objects and nothing else (comments: %s)',
  async (keepComments) => {
    const { client, url } = from
    for (const [index, name] of NAMES.entries()) {
      await client.query(`drop schema if exists ${id(name)} cascade; drop role if exists ${id(name)}`)
      await client.query(
        `create role ${id(name)}; alter role ${id(name)} set "app.x" = ${text(name)}; alter role ${id(name)} set search_path = ${id(name)}, public`,
      )
      await client.query(`create schema ${id(name)}`)
      await client.query(
        `create table ${id(name)}.${id(name)} (${id(name)} text default ${text(name)}, check (${id(name)} <> ${text(TEXTS[index % TEXTS.length] as string)}))`,
      )
      await client.query(`insert into ${id(name)}.${id(name)} values (${text(name)})`)
      await client.query(`alter table ${id(name)}.${id(name)} enable row level security`)
      await client.query(
        `create policy ${id(name)} on ${id(name)}.${id(name)} to ${id(name)} using (${id(name)} = ${text(name)})`,
      )
      await client.query(`comment on table ${id(name)}.${id(name)} is ${text(TEXTS[index % TEXTS.length] as string)}`)
      await client.query(
        `create function ${id(name)}.${id(name)}() returns text language sql as ${text(`select 'x'\n--\n-- y\nCREATE TABLE "z" ();\n`.replace('CREATE TABLE "z" ();', '-- CREATE TABLE "z" ();'))}`,
      )
    }
    const [roles, schema, data] = [
      await dumpRoles(url),
      await dumpSchema(url, [], keepComments),
      await dumpData(url, [], []),
    ]
    for (const name of NAMES)
      await to.client.query(`drop schema if exists ${id(name)} cascade; drop role if exists ${id(name)}`)
    await to.client.query(roles)
    for (const words of TEXTS) {
      await client.query(`comment on extension pgcrypto is ${text(words)}`)
      await to.client.query('begin')
      await to.client.query(await dumpSchema(url, [], keepComments))
      expect((await to.client.query("select to_regclass('public.injected') as it")).rows).toEqual([{ it: null }])
      await to.client.query('rollback')
    }
    await to.client.query(schema)
    await to.client.query(data)

    const look = async (place: OpenDatabase): Promise<unknown> => {
      const { rows } = await place.client.query(
        `
      select n.nspname, c.relname, a.attname, pg_get_expr(d.adbin, d.adrelid) as value, obj_description(c.oid, 'pg_class') as comment,
        (select array_agg(polname::text || pg_get_expr(polqual, polrelid)) from pg_policy where polrelid = c.oid) as policies,
        (select array_agg(pg_get_constraintdef(oid)) from pg_constraint where conrelid = c.oid) as checks,
        (select array_agg(prosrc) from pg_proc where pronamespace = n.oid) as bodies,
        (select rolconfig from pg_roles where rolname = n.nspname) as settings
      from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum = 1
      left join pg_attrdef d on d.adrelid = c.oid
      where c.relkind = 'r' and n.nspname = any ($1) order by 1`,
        [NAMES],
      )
      const contents = []
      for (const name of NAMES) contents.push((await place.client.query(`select * from ${id(name)}.${id(name)}`)).rows)
      return {
        rows,
        contents,
        injected: (await place.client.query("select to_regclass('public.injected') as it")).rows,
      }
    }
    const [before, after] = [await look(from), await look(to)]
    expect(after).toEqual(before)
    expect(after).toMatchObject({ injected: [{ it: null }] })
  },
)

test('an error has the message of pg_dump alone', async () => {
  const dumped = dumpSchema(from.url, ['missing'])
  await expect(dumped).rejects.toThrow(new UserError('pg_dump: error: no matching schemas were found'))
})
