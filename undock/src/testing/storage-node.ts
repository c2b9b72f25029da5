import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { loadConfig } from '../config/load.ts'
import { createDb } from '../database/engine-db.ts'
import { openServerEngine } from '../database/postgres/server-engine.ts'
import { createIdentity } from '../identity/create-identity.ts'
import { type Log, systemClock } from '../kernel/service.ts'
import type { FilesOptions } from '../storage/files/open-files.ts'
import { createStorage } from '../storage/index.ts'

// A program for tests that kill or stop it: one node of storage, before the database and the files that the first argument names as
// JSON. Prints its address and the service key.
const { url, files } = JSON.parse(process.argv[2] ?? '') as { url: string; files: FilesOptions }
const engine = await openServerEngine({ url, statementLimit: 30_000, waitLimit: 30_000 })
const { config } = loadConfig({ toml: '[storage.buckets.docs]', file: 'config.toml', env: {}, folder: process.cwd() })
const identity = await createIdentity({ config: config.auth, clock: systemClock })
const write = (message: string) => void process.stderr.write(`${message}\n`)
const log: Log = { info: write, warn: write, error: (message, error) => write(`${message} ${error}`) }
const storage = await createStorage({
  db: createDb(engine),
  identity,
  config: config.storage,
  files,
  clock: systemClock,
  log,
})
const context = { requestId: 'test', address: '127.0.0.1' }
const server = serve({ fetch: (request) => storage.handle(request, context), port: 0, hostname: '127.0.0.1' })
server.once('listening', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, key: identity.keys.serviceRole })}\n`)
})
