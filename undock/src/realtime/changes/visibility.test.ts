import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Log } from '../../kernel/service.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { ChangeQueue, type RowChange } from './change-queue.ts'
import { describeTables, type Table } from './tables.ts'
import { visibleTo } from './visibility.ts'

const [ANNA, BEN, CARA] = ['a', 'b', 'c'].map((end) => `00000000-0000-4000-8000-00000000000${end}`) as [
  string,
  string,
  string,
]

const faults: unknown[] = []
const log: Log = { info() {}, warn() {}, error: (_message, error) => faults.push(error) }

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase(`
    create table public.readers (id uuid, "index" int);
    insert into readers values ('${CARA}', 1);
    grant select on readers to authenticated;
    -- Names that are in the questions, too.
    create table public."c, ""e" (
      "index" int primary key, record uuid, "_realtime change" timestamptz default now(), hidden boolean not null default false
    );
    alter table "c, ""e" enable row level security;
    create policy own on "c, ""e" for select to authenticated using (record = auth.uid());
    create policy readers on "c, ""e" using (
      exists (select from readers r where r.id = auth.uid() and r."index" <= "c, ""e"."index")
    );
    create policy shown on "c, ""e" as restrictive for select using (not hidden);
    create policy writers on "c, ""e" for insert to authenticated with check (true);
    create table public.unguarded (id int primary key);
    alter publication supabase_realtime add table "c, ""e", unguarded;
    -- Somebody listens, so changes are captured.
    insert into _realtime.requests values (gen_random_uuid(), 'public', '*');
  `)
})
afterAll(async () => {
  expect(faults).toEqual([])
  await database?.close()
})

const CALLERS = [
  { role: 'authenticated', sub: ANNA },
  { role: 'authenticated', sub: BEN },
  { role: 'authenticated', sub: CARA },
  { role: 'anon' },
  { role: 'service_role' },
]

/** Which changes of a script Anna, Ben, Cara, a stranger and the service see. */
async function seenAfter(script: string): Promise<Record<string, boolean[]>> {
  const { db } = database
  await db.exec('delete from "c, ""e"')
  const queue = new ChangeQueue(db, { node: '00000000-0000-4000-8000-00000000000d', isAlone: true })
  await queue.join()
  await db.exec(script)
  const changes = (await queue.take(100)).taken as RowChange[]
  const { entity } = changes[0] as RowChange
  const table = (await describeTables(db, [entity], ['authenticated', 'anon', 'service_role'])).get(entity) as Table
  const callers = CALLERS.map((claims) => ({ role: claims.role, claims: JSON.stringify(claims), changes }))
  const seen = await visibleTo(db, log, table, callers)
  return Object.fromEntries(
    changes.map((change, index) => [`${index} ${change.action}`, seen.map((visible) => visible.has(change))]),
  )
}

test.each([
  [
    'an unchanged row: owner, reader, service',
    `insert into "c, ""e" values (1, '${ANNA}')`,
    { '0 INSERT': [true, false, true, false, true] },
  ],
  [
    "a row with a new owner: neither owner sees the other's version",
    `insert into "c, ""e" values (1, '${ANNA}'); update "c, ""e" set record = '${BEN}'`,
    { '0 INSERT': [false, false, true, false, true], '1 UPDATE': [false, true, true, false, true] },
  ],
  [
    'a row that kept its owner: all changes',
    `insert into "c, ""e" values (1, '${ANNA}'); update "c, ""e" set "_realtime change" = null`,
    { '0 INSERT': [true, false, true, false, true], '1 UPDATE': [true, false, true, false, true] },
  ],
  [
    'a temporarily hidden row: restrictive policies apply',
    `insert into "c, ""e" values (1, '${ANNA}', null, true); update "c, ""e" set hidden = false`,
    { '0 INSERT': [false, false, false, false, true], '1 UPDATE': [true, false, true, false, true] },
  ],
  [
    'a deleted row: no one',
    `insert into "c, ""e" values (1, '${ANNA}'); delete from "c, ""e"`,
    { '0 INSERT': [false, false, false, false, false], '1 DELETE': [false, false, false, false, false] },
  ],
] as const)('%s', async (_name, script, expected) => {
  expect(await seenAfter(script)).toEqual(expected)
})
