import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { serve } from '@hono/node-server'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import type { Db } from '../database/db.ts'
import { createIdentity } from '../identity/create-identity.ts'
import type { Identity } from '../identity/identity.ts'
import { withNodeRequest } from '../kernel/node-http.ts'
import { type Log, systemClock } from '../kernel/service.ts'
import type { FilesOptions } from '../storage/files/open-files.ts'
import { createStorage, type Storage } from '../storage/index.ts'
import { openTestDatabase } from './database.ts'
import { startS3Store } from './s3-store.ts'

export const ALICE = 'aaaaaaaa-0000-4000-8000-000000000001'
export const BOB = 'bbbbbbbb-0000-4000-8000-000000000002'

export type StorageServer = {
  readonly url: string
  readonly db: Db
  readonly identity: Identity
  readonly folder: string
  readonly config: Config
  /** What the service wrote to its log. */
  readonly logged: string[]
  readonly service: SupabaseClient
  readonly anon: SupabaseClient
  as(user: string): Promise<SupabaseClient>
  tokenOf(user: string): Promise<string>
  /** A request with only an Authorization header. */
  fetch(path: string, init?: RequestInit, token?: string): Promise<Response>
  /** Opens the service again on the same folder and database, as a new process would. */
  restart(): Promise<void>
  seed(): Promise<void>
  close(): Promise<void>
}

/** Storage on a socket, over a database of its own, for the official clients to talk to.
 *  @param options.files A folder of its own unless they are given; with `UNDOCK_TEST_FILES=s3` an S3 store of its own.
 *  @param options.beside Another node, whose database and keys this one shares. */
export async function startStorageServer({
  toml = '',
  script = '',
  files,
  beside,
}: {
  readonly toml?: string
  readonly script?: string
  readonly files?: FilesOptions
  readonly beside?: StorageServer
} = {}): Promise<StorageServer> {
  const store = !files && process.env.UNDOCK_TEST_FILES === 's3' ? await startS3Store() : null
  const folder = await mkdtemp(join(tmpdir(), 'undock-storage-'))
  const { config } = loadConfig({ toml, file: 'config.toml', env: {}, folder })
  const { db, close } = beside ? { db: beside.db, close: async () => undefined } : await openTestDatabase(script)
  const identity = beside?.identity ?? (await createIdentity({ config: config.auth, clock: systemClock }))
  const logged: string[] = []
  const log: Log = {
    info: (message) => logged.push(message),
    warn: (message) => logged.push(message),
    error: (message, error) => logged.push(`${message}: ${inspect(error)}`),
  }
  const start = () =>
    createStorage({
      db,
      identity,
      config: config.storage,
      files: files ?? store?.files ?? { kind: 'folder', folder },
      clock: systemClock,
      log,
    })
  let storage: Storage = await start()
  const context = { requestId: 'test', address: '127.0.0.1' }
  const server = serve({
    fetch: (request, { incoming }) => storage.handle(withNodeRequest(request, incoming as IncomingMessage), context),
    port: 0,
    hostname: '127.0.0.1',
    // As the gateway's: with Node's 5 s, a busy machine closes an idle connection just as a client reuses it.
    serverOptions: { keepAliveTimeout: 65_000 },
  })
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const client = (key: string, token?: string) =>
    createClient(url, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      ...(token === undefined ? {} : { accessToken: async () => token }),
    })
  const tokenOf = (user: string) =>
    identity.sign({ role: 'authenticated', sub: user, aud: 'authenticated', exp: Math.floor(Date.now() / 1000) + 3600 })

  return {
    url,
    db,
    identity,
    folder,
    config,
    logged,
    service: client(identity.keys.serviceRole),
    anon: client(identity.keys.anon),
    as: async (user) => client(identity.keys.publishable, await tokenOf(user)),
    tokenOf,
    fetch: (path, init = {}, token) =>
      fetch(`${url}/storage/v1${path}`, {
        ...init,
        headers: { ...init.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      }),
    restart: async () => {
      await storage.close()
      storage = await start()
    },
    seed: () => storage.seed(),
    close: async () => {
      server.close()
      await storage.close()
      await close()
      await store?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
