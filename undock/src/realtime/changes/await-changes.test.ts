import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { eventually } from '../../testing/eventually.ts'
import { join } from '../../testing/realtime-client.ts'
import { type RealtimeServer, startRealtimeServer } from '../../testing/realtime-server.ts'

let server: RealtimeServer
beforeAll(async () => {
  server = await startRealtimeServer(`
    create table public.rooms (id int primary key);
    alter publication supabase_realtime add table public.rooms;
  `)
})
afterEach(async () => {
  await server.disconnect()
  expect(server.faults.splice(0)).toEqual([])
})
afterAll(async () => {
  await server?.close()
})

type Options = { wait?: boolean; timeout?: number }

const rooms = (client: ReturnType<RealtimeServer['client']>, options: Options, table = 'rooms') => {
  const heard = vi.fn()
  const channel = client
    .channel(`waiting ${table}`, { config: { postgres_changes_options: options } })
    .on('postgres_changes', { event: 'INSERT', schema: 'public', table }, ({ new: row }) => heard(row))
  return { channel, heard }
}

const withoutSubscriptions = (work: () => Promise<void>) =>
  server.db.transaction({}, async (tx) => {
    await tx.query(statement(sql`lock table realtime.subscription in access exclusive mode`))
    await work()
  })

test('answers a waiting join once changes are subscribed', async () => {
  const client = server.client()
  const { channel, heard } = rooms(client, { wait: true })
  const statuses = vi.fn()
  await withoutSubscriptions(async () => {
    channel.subscribe((status) => statuses(status))
    // Later joins on the connection can still skip waiting.
    expect(await join(rooms(client, {}, 'other').channel)).toBe('SUBSCRIBED')
    expect(statuses).not.toHaveBeenCalled()
  })
  await eventually(() => expect(statuses.mock.calls).toEqual([['SUBSCRIBED']]))
  await server.db.exec('insert into rooms values (1)')
  await eventually(() => expect(heard.mock.calls).toEqual([[{ id: 1 }]]))
})

test('rejects a join after the timeout and leaves no subscription', async () => {
  const { channel } = rooms(server.client(), { wait: true, timeout: 50 })
  await withoutSubscriptions(async () => {
    expect(await join(channel)).toBe(
      'CHANNEL_ERROR: PostgresChangesSubscribeTimeout: Timed out after 50ms waiting for the postgres_changes subscription',
    )
  })
  await server.disconnect()
  const count = statement(sql`select count(*)::int from realtime.subscription`)
  await eventually(async () => expect((await server.db.query(count)).rows).toEqual([{ count: 0 }]))
})

test('rejects a join for an unpublished table, with the reason', async () => {
  const { channel } = rooms(server.client(), { wait: true }, 'nothing')
  expect(await join(channel)).toMatch(
    /^CHANNEL_ERROR: RealtimeDisabledForConfiguration: Unable to subscribe to changes with given parameters/,
  )
})

test.each([
  ['without bindings', { wait: true }],
  ['with options that are none', { wait: 'x', timeout: -1 } as unknown as Options],
])('answers a join %s immediately', async (_name, options) => {
  const client = server.client()
  const channel = client.channel('plain', { config: { postgres_changes_options: options } })
  await withoutSubscriptions(async () => expect(await join(channel)).toBe('SUBSCRIBED'))
})
