import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { loadConfig } from '../../config/load.ts'
import type { Db } from '../../database/db.ts'
import { createIdentity } from '../../identity/create-identity.ts'
import { withNodeRequest } from '../../kernel/node-http.ts'
import { type Log, systemClock } from '../../kernel/service.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createRest, type Rest } from '../index.ts'

export type RestHarness = {
  readonly db: Db
  readonly anon: SupabaseClient
  readonly service: SupabaseClient
  as(claims: { readonly sub: string; readonly role: string }): Promise<SupabaseClient>
  /** Sends a raw request as anon with a JSON body; `/books` is `/rest/v1/books`. */
  fetch(path: string, init?: { method?: string; body?: string; headers?: Record<string, string> }): Promise<Response>
  readonly targetOf: Rest['targetOf']
  close(): Promise<void>
}

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Opens the Data API on its own database and port, for the official client. */
export async function openRest(script: string, bodyLimit = 100 * 2 ** 20): Promise<RestHarness> {
  const { config } = loadConfig({ toml: 'project_id = "test"', file: 'config.toml', env: {}, folder: '/' })
  const database = await openTestDatabase(script)
  const identity = await createIdentity({ config: config.auth, clock: systemClock })
  const rest = await createRest({
    db: database.db,
    identity,
    clock: systemClock,
    config: config.api,
    bodyLimit,
    log: silent,
  })
  const answer = getRequestListener((request, { incoming, outgoing }) =>
    rest.handle(withNodeRequest(request, incoming as IncomingMessage), {
      requestId: 'test',
      address: '127.0.0.1',
      setReasonPhrase: (text) => {
        ;(outgoing as ServerResponse).statusMessage = text
      },
    }),
  )
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = (key: string, token?: string): SupabaseClient =>
    createClient(url, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      ...(token === undefined ? {} : { accessToken: async () => token }),
    })
  return {
    db: database.db,
    targetOf: rest.targetOf,
    anon: client(identity.keys.publishable),
    service: client(identity.keys.secret),
    as: async (claims) => client(identity.keys.publishable, await identity.sign({ aud: 'authenticated', ...claims })),
    fetch: (path, init) =>
      fetch(`${url}/rest/v1${path}`, { ...init, headers: { 'content-type': 'application/json', ...init?.headers } }),
    async close() {
      server.close()
      server.closeAllConnections()
      await rest.close()
      await database.close()
    },
  }
}
