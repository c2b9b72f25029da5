import { fsyncSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, expect, test } from 'vitest'
import { decode, encodeScript } from '../protocol/exchange.ts'
import { runScript } from '../protocol/run-script.ts'
import { DURABLE_PARAMETERS, durableFiles } from './durable-files.ts'
import { openEngine } from './engine.ts'

const folder = await mkdtemp(join(tmpdir(), 'undock-durable-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('each commit syncs a file', async () => {
  let synced = 0
  const files = durableFiles((descriptor) => {
    synced += 1
    fsyncSync(descriptor)
  })
  const database = new PGlite({
    dataDir: join(folder, 'alone'),
    extensions: { files },
    startParams: [
      ...PGlite.defaultStartParams.filter((one) => one !== '-F'),
      ...DURABLE_PARAMETERS.flatMap((one) => ['-c', one]),
    ],
  })
  await database.exec('create table kept (id int)')
  for (let id = 0; id < 5; id++) {
    const before = synced
    await database.exec(`insert into kept values (${id})`)
    expect(synced).toBeGreaterThan(before)
  }
  const before = synced
  await database.exec('select * from kept')
  expect(synced).toBe(before)
  await database.close()
})

test.each([true, false])('an engine reports whether it is durable (durable: %s)', async (isDurable) => {
  const limits = { statementLimit: 30_000, waitLimit: 10_000 }
  const engine = await openEngine({ folder: join(folder, String(isDurable)), snapshot: null, isDurable, ...limits })
  try {
    await engine.withSession((session) => runScript(session, 'create table kept (id int)'))
    const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method']
    const query = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`
    const { results } = decode(await engine.withSession((session) => session.exchange(encodeScript(query))))
    expect(results[0]?.rows[0]).toMatchObject(
      isDurable
        ? { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', wal_sync_method: 'fsync' }
        : { fsync: 'off' },
    )
  } finally {
    await engine.close()
  }
})
