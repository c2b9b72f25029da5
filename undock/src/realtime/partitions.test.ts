import { expect, test } from 'vitest'
import { startRealtimeServer } from '../testing/realtime-server.ts'
import { keepPartitions } from './index.ts'

test('concurrent calls create each partition once', async () => {
  const server = await startRealtimeServer('')
  const names = async () =>
    (
      await server.db.query<{ name: string }>({
        text: `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'realtime.messages'::regclass order by 1`,
        values: [],
      })
    ).rows.map(({ name }) => name)
  const all = await names()
  for (const name of all.slice(-2)) await server.db.exec(`drop table ${name}`)
  await Promise.all(Array.from({ length: 8 }, () => keepPartitions(server.db)))
  expect(await names()).toEqual(all)
  await server.close()
})
