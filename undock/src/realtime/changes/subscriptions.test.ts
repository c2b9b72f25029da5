import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../database/db.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { type ChangeListener, Subscriptions } from './subscriptions.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase(`
    create table public.items (id int primary key);
    alter publication supabase_realtime add table public.items;
  `)
})
afterAll(async () => {
  await database?.close()
})

const BINDINGS = [{ event: '*', schema: 'public', table: 'items' }]
const NODE = '00000000-0000-4000-8000-00000000000c'
const CLAIMS = { role: 'anon' }

test('concurrent identical subscriptions keep exactly one without interruption', async () => {
  const { rows } = await database.db.query<{ entity: string }>({
    text: `select 'public.items'::regclass::oid::text as entity`,
    values: [],
  })
  const entity = rows[0]?.entity as string
  const held: number[] = []
  const look = () => held.push([...subscriptions.on(entity)].length)
  const looking = <K extends 'query' | 'run'>(name: K) =>
    (async (asked: never) => {
      look()
      const answer = await database.db[name](asked)
      look()
      return answer
    }) as Db[K]
  const subscriptions = new Subscriptions({ ...database.db, query: looking('query'), run: looking('run') }, NODE)
  const listener: ChangeListener = {
    topic: 'realtime:items',
    version: '1.0.0',
    request: { legacy: false },
    deliver: () => undefined,
    fail: () => undefined,
  }
  await subscriptions.set(listener, { bindings: BINDINGS, claims: CLAIMS, isNew: true })
  held.length = 0
  // Like a token refresh while the publication changes.
  await Promise.all(
    [1, 2, 3].map(() => subscriptions.set(listener, { bindings: BINDINGS, claims: CLAIMS, isNew: false })),
  )
  expect(new Set(held)).toEqual(new Set([1]))
  expect(await subscriptions.areKept()).toBe(true)
  await Promise.all([
    subscriptions.set(listener, { bindings: BINDINGS, claims: CLAIMS, isNew: false }),
    subscriptions.delete(listener),
  ])
  look()
  expect(held.at(-1)).toBe(0)
  expect(await subscriptions.areKept()).toBe(true)
})
