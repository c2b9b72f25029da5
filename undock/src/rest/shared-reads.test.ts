import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRest, type RestHarness } from './testing/service.ts'

let rest: RestHarness
beforeAll(async () => {
  rest = await openRest(`
    create table counters (id int primary key, n int not null, owner text);
    insert into counters values (1, 0, 'a'), (2, 0, 'b');
    alter table counters enable row level security;
    create policy own on counters using (owner = auth.jwt() ->> 'sub');
    grant all on counters to authenticated, service_role;
    create view tickets as select gen_random_uuid() as ticket;
    grant select on tickets to service_role;`)
})
afterAll(() => rest.close())

test('a read sees all writes acknowledged before it, however many callers send it', async () => {
  let acknowledged = 0
  const read = async () => {
    const before = acknowledged
    const { data } = await rest.service.from('counters').select('n').eq('id', 1).single().throwOnError()
    return { before, seen: data.n as number }
  }
  const writer = async () => {
    for (let n = 1; n <= 40; n++) {
      await rest.service.from('counters').update({ n }).eq('id', 1).throwOnError()
      acknowledged = n
    }
  }
  const reader = async () => {
    const reads: Awaited<ReturnType<typeof read>>[] = []
    while (acknowledged < 40) reads.push(await read())
    return reads
  }
  const [, ...all] = await Promise.all([writer(), ...Array.from({ length: 8 }, reader)])
  for (const { before, seen } of all.flat()) expect(seen).toBeGreaterThanOrEqual(before)
})

test('users who send the same read at once get their own rows', async () => {
  const [a, b] = await Promise.all(['a', 'b'].map((sub) => rest.as({ sub, role: 'authenticated' })))
  const ids = async (client: typeof a) => (await client?.from('counters').select('id').throwOnError())?.data
  const seen = await Promise.all([a, b, a, b].map(ids))
  expect(seen).toEqual([[{ id: 1 }], [{ id: 2 }], [{ id: 1 }], [{ id: 2 }]])
})

test('values that a view computes for each read are not shared', async () => {
  const draw = async () => (await rest.service.from('tickets').select().single().throwOnError()).data.ticket
  const drawn = await Promise.all(Array.from({ length: 10 }, draw))
  expect(new Set(drawn).size).toBe(10)
})
