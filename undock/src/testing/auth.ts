import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { type AuthOptions, createAuth } from '../auth/index.ts'
import { loadConfig } from '../config/load.ts'
import type { Db } from '../database/db.ts'
import { createIdentity } from '../identity/create-identity.ts'
import type { Identity } from '../identity/identity.ts'
import type { Mail } from '../kernel/mail-templates.ts'
import type { Clock, Log, RequestHandler } from '../kernel/service.ts'
import { openTestDatabase } from './database.ts'

/** Time that stands still until a test turns it. */
type TestClock = Clock & { advance(seconds: number): void }

function createTestClock(start = new Date()): TestClock {
  let now = start.getTime()
  return {
    now: () => new Date(now),
    advance: (seconds) => {
      now += seconds * 1000
    },
  }
}

export type TestAuth = {
  readonly url: string
  readonly db: Db
  readonly identity: Identity
  readonly clock: TestClock
  readonly mails: Mail[]
  /** Everything that was logged, as text. */
  readonly logged: string[]
  readonly handle: RequestHandler
  /** A client of the official library with a session of its own. */
  client(options?: { secret?: boolean; flowType?: 'implicit' | 'pkce' }): SupabaseClient
  /** The mail that came last to an address. */
  mailTo(address: string): Mail
  close(): Promise<void>
}

type Outside = Partial<Pick<AuthOptions, 'fetch' | 'lookup'>>

/** Auth over a socket, on a database of its own. @param toml The project's settings. @param script Run on the database.
 *  @param outside How services elsewhere are found and asked. */
export async function startTestAuth(toml = '', script = '', outside: Outside = {}): Promise<TestAuth> {
  const { config } = loadConfig({ toml, file: 'config.toml', env: {}, folder: '/nowhere/supabase' })
  const { db, close } = await openTestDatabase(script)
  const clock = createTestClock()
  const identity = await createIdentity({ config: config.auth, clock })
  const mails: Mail[] = []
  const logged: string[] = []
  const log: Log = {
    info: (...told) => void logged.push(JSON.stringify(told)),
    warn: (...told) => void logged.push(JSON.stringify(told)),
    error: (message, error, fields) => void logged.push(JSON.stringify([message, String(error), fields])),
  }
  let handle: RequestHandler = () => new Response(null, { status: 503 })
  const server = serve({
    fetch: (request) => handle(request, { requestId: 'test', address: '127.0.0.1' }),
    port: 0,
    hostname: '127.0.0.1',
  })
  await new Promise<void>((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const mailer = { send: async (mail: Mail) => void mails.push(mail) }
  const auth = createAuth({
    db,
    identity,
    config: { ...config.auth, external_url: '' },
    apiUrl: url,
    mailer,
    clock,
    log,
    ...outside,
  })
  handle = auth.handle
  return {
    url,
    db,
    identity,
    clock,
    mails,
    logged,
    handle,
    client: ({ secret = false, flowType = 'implicit' } = {}) =>
      createClient(url, secret ? identity.keys.secret : identity.keys.publishable, {
        auth: {
          autoRefreshToken: false,
          persistSession: false,
          detectSessionInUrl: false,
          flowType,
          storageKey: crypto.randomUUID(),
          experimental: { recoveryCodes: true },
        },
      }),
    mailTo(address) {
      const mail = mails.findLast(({ to }) => to === address)
      if (!mail) throw new Error(`no mail to ${address}`)
      return mail
    },
    async close() {
      await new Promise((resolve) => server.close(resolve))
      await auth.close()
      await close()
    },
  }
}

/** The link that a mail asks to open. */
export function linkIn({ html }: Mail): string {
  const [, href = ''] = /href="([^"]+)"/.exec(html) ?? []
  return href.replaceAll('&amp;', '&')
}

/** The code that a mail shows. */
export function codeIn({ html }: Mail): string {
  return /\b(\d{6,10})\b/.exec(html.replace(/href="[^"]*"/g, ''))?.[1] ?? ''
}
