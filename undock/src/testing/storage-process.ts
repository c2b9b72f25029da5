import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { loadConfig } from '../config/load.ts'
import { createDb } from '../database/engine-db.ts'
import { bootstrapSnapshot } from '../database/pglite/bootstrap-snapshot.ts'
import { openEngine } from '../database/pglite/engine.ts'
import { openSnapshotStore } from '../database/snapshot-store.ts'
import { createIdentity } from '../identity/create-identity.ts'
import { type Log, systemClock } from '../kernel/service.ts'
import { userCacheFolder } from '../platform/cache-folder.ts'
import { createStorage } from '../storage/index.ts'

// A program for tests that kill it: storage and its database, both on disk in the folder that the first argument
// names. Prints its address and the service key; `fresh` as second argument makes the database.
const [folder = '', mode] = process.argv.slice(2)
const { path } = await bootstrapSnapshot(openSnapshotStore(userCacheFolder(process.env), 3))
const engine = await openEngine({
  folder: join(folder, 'database'),
  snapshot: mode === 'fresh' ? path : null,
  statementLimit: 30_000,
  waitLimit: 30_000,
})
const { config } = loadConfig({ toml: '[storage.buckets.docs]', file: 'config.toml', env: {}, folder })
const identity = await createIdentity({ config: config.auth, clock: systemClock })
const write = (message: string) => void process.stderr.write(`${message}\n`)
const log: Log = { info: write, warn: write, error: (message, error) => write(`${message} ${error}`) }
const storage = await createStorage({
  db: createDb(engine),
  identity,
  config: config.storage,
  files: { kind: 'folder', folder: join(folder, 'files') },
  clock: systemClock,
  log,
})
const context = { requestId: 'test', address: '127.0.0.1' }
const server = serve({ fetch: (request) => storage.handle(request, context), port: 0, hostname: '127.0.0.1' })
server.once('listening', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, key: identity.keys.serviceRole })}\n`)
})
