import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { loadConfig } from '../../config/load.ts'
import type { Db } from '../../database/db.ts'
import { createIdentity } from '../../identity/create-identity.ts'
import { type Log, systemClock } from '../../kernel/service.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createRest } from '../index.ts'

export type RestHarness = {
  readonly db: Db
  readonly anon: SupabaseClient
  readonly service: SupabaseClient
  /** A client that is signed in with these claims. */
  as(claims: { readonly sub: string; readonly role: string }): Promise<SupabaseClient>
  /** A request by hand, as anon and with a body of JSON; `/books` is `/rest/v1/books`. */
  fetch(path: string, init?: { method?: string; body?: string; headers?: Record<string, string> }): Promise<Response>
  close(): Promise<void>
}

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const URL = 'http://undock.test'

/** The Data API over a database of its own, for the official client to talk to without a socket. */
export async function openRest(script: string): Promise<RestHarness> {
  const { config } = loadConfig({ toml: 'project_id = "test"', file: 'config.toml', env: {}, folder: '/' })
  const database = await openTestDatabase(script)
  const identity = await createIdentity({ config: config.auth, clock: systemClock })
  const rest = await createRest({ db: database.db, identity, config: config.api, log: silent })
  const call = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> =>
    rest.handle(new Request(input, init), { requestId: 'test', address: '127.0.0.1' })
  const client = (key: string, token?: string): SupabaseClient =>
    createClient(URL, key, {
      global: { fetch: call },
      auth: { persistSession: false, autoRefreshToken: false },
      ...(token === undefined ? {} : { accessToken: async () => token }),
    })
  return {
    db: database.db,
    anon: client(identity.keys.publishable),
    service: client(identity.keys.secret),
    as: async (claims) => client(identity.keys.publishable, await identity.sign({ aud: 'authenticated', ...claims })),
    fetch: (path, init) =>
      call(`${URL}/rest/v1${path}`, { ...init, headers: { 'content-type': 'application/json', ...init?.headers } }),
    async close() {
      await rest.close()
      await database.close()
    },
  }
}
