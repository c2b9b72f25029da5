import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { createClient, type SupabaseClient, type SupabaseClientOptions } from '@supabase/supabase-js'
import type { Db } from '../database/db.ts'
import { createIdentity } from '../identity/create-identity.ts'
import type { Identity } from '../identity/identity.ts'
import type { Clock, Log } from '../kernel/service.ts'
import { createRealtime, type RealtimeOptions } from '../realtime/index.ts'
import { openTestDatabase } from './database.ts'

export type RealtimeServer = {
  readonly url: string
  readonly db: Db
  readonly identity: Identity
  /** What was logged as a fault, and the texts of warnings. */
  readonly faults: unknown[]
  readonly warnings: string[]
  /** Sets the clock forward by so many seconds. */
  advance(seconds: number): void
  /** A signed access token of a user, or of a role without one. */
  token(claims: { role?: string | undefined; exp?: number; [claim: string]: unknown }): Promise<string>
  /** A client of its own, which is disconnected at the end. */
  client(token?: string, options?: SupabaseClientOptions<'public'>['realtime']): SupabaseClient
  /** As after a database was replaced. */
  restore(): Promise<void>
  /** Tells the clients to connect again, within so many seconds. */
  drain(seconds: number): Promise<void>
  /** Ends all clients so far. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

type ServerOptions = Partial<Pick<RealtimeOptions, 'limits' | 'privateOnly' | 'bus'>>

/** Realtime alone behind a real HTTP server, on a database of its own. */
export async function startRealtimeServer(script = '', options: ServerOptions = {}): Promise<RealtimeServer> {
  const { db, close } = await openTestDatabase(script)
  const server = await startRealtimeNode(db, options)
  return {
    ...server,
    async close() {
      await server.close()
      await close()
    },
  }
}

/** The same on a database that others may use, too. */
export async function startRealtimeNode(
  db: Db,
  { privateOnly = false, limits, bus }: ServerOptions = {},
): Promise<RealtimeServer> {
  let offset = 0
  const clock: Clock = { now: () => new Date(Date.now() + offset) }
  const faults: unknown[] = []
  const warnings: string[] = []
  const log: Log = {
    info() {},
    warn: (message) => warnings.push(message),
    error: (_message, error) => faults.push(error),
  }
  const identity = await createIdentity({
    config: {
      jwt_secret: 'super-secret-jwt-token-with-at-least-32-characters-long',
      jwt_issuer: 'http://127.0.0.1/auth/v1',
      signing_keys: [],
      publishable_key: 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
      secret_key: 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz',
      anon_key: '',
      service_role_key: '',
    },
    clock,
  })
  const config = { enabled: true, ip_version: 'IPv4', max_header_length: 4096 } as RealtimeOptions['config']
  const realtime = await createRealtime({
    db,
    identity,
    config,
    clock,
    log,
    privateOnly,
    isForeign: () => false,
    ...(limits ? { limits } : {}),
    ...(bus ? { bus } : {}),
  })
  const fetch = (request: Request) => realtime.handle(request, { requestId: 'test', address: '127.0.0.1' })
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' })
  server.on('upgrade', (request, socket, head) => realtime.upgrade(request, socket, head))
  await new Promise<void>((resolve) => (server.listening ? resolve() : server.once('listening', () => resolve())))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clients: SupabaseClient[] = []
  async function disconnect(): Promise<void> {
    await Promise.all(clients.splice(0).map((client) => client.realtime.disconnect()))
  }
  return {
    url,
    db,
    identity,
    faults,
    warnings,
    advance(seconds) {
      offset += seconds * 1000
    },
    token: ({ role = 'authenticated', ...claims }) =>
      identity.sign({ role, exp: Math.floor(clock.now().getTime() / 1000) + 3600, ...claims }),
    client(token, options = {}) {
      const client = createClient(url, identity.keys.publishable, {
        auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
        realtime: options,
      })
      if (token) void client.realtime.setAuth(token)
      clients.push(client)
      return client
    },
    drain: (seconds) => realtime.drain(seconds),
    restore: () => realtime.onDatabaseReplaced('restored'),
    disconnect,
    async close() {
      await disconnect()
      await realtime.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
