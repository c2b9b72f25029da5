import { quoteIdentifier, sql } from '../../kernel/sql.ts'
import { connectionTo } from '../../kernel/url.ts'
import { PROJECT_USER } from '../as-project-user.ts'
import type { Notification } from '../db.ts'
import { engineUnavailable, isUnreachable } from '../protocol/errors.ts'
import { decode, encodeScript, encodeStatement, runScript, SYNC } from '../protocol/exchange.ts'
import { findLoginRole, type LoginRole } from '../protocol/login-role.ts'
import type { Engine, Session } from '../session.ts'
import { createNotificationListener } from './notification-listener.ts'
import { ClusterError } from './postmaster.ts'
import { type NetworkSession, openServerSession, type ServerSession, startupOptions } from './server-session.ts'
import { SessionPool } from './session-pool.ts'

export type ServerEngineOptions = {
  readonly url: string
  /** URL of a transaction-mode pooler, whose sessions run all queries. They start with their role's settings, because a
   *  pooler accepts none. Notifications and other users' sessions need the server itself. */
  readonly poolerUrl?: string | undefined
  /** Returns the URL for another user's sessions, on a server that accepts any user without a password. */
  readonly urlAs?: ((user: string) => string) | null
  readonly statementLimit: number
  readonly waitLimit: number
  readonly sessions?: number
  /** Milliseconds without an answer before a server across a network counts as gone: what waits for it fails, and later
   *  statements open new connections. Without it, that's up to the operating system. */
  readonly silenceLimit?: number
  /** Settings of the URL's own user, in addition to those of a project's sessions. */
  readonly ownSettings?: Readonly<Record<string, string>>
}

export type ServerEngine = Engine & {
  /** Runs work that needs the database without this engine's sessions, such as replacing it. */
  withoutSessions(work: () => Promise<void>): Promise<void>
  /** Calls handlers when the server was silent for too long, and again after the same time.
   *  @param handler Receives the time since which the server must have answered. */
  onSilence(handler: (since: number) => void): void
  /** Drops the server's sessions without an answer since then. Those of a pooler stay. */
  dropSilent(since: number): void
}

export const SESSION_SETTINGS = { search_path: '"$user", public, extensions', TimeZone: 'UTC' }

/** Services send requests in bursts; beyond this (and the lanes), more sessions only lengthen a small server's queue. */
const SESSIONS = 10

/** Opens a Postgres server as an engine. @throws if it can't be reached or refuses. */
export async function openServerEngine(options: ServerEngineOptions): Promise<ServerEngine> {
  const { url, poolerUrl, urlAs, statementLimit, waitLimit, silenceLimit, sessions = SESSIONS } = options
  const onNotification = new Set<(notification: Notification) => void>()
  const onReopened = new Set<() => void | Promise<void>>()
  const onSilence = new Set<(since: number) => void>()
  // Of a role's own settings, only these would outlast a transaction.
  const limits = { statement_timeout: String(statementLimit), lock_timeout: '0' }
  const settings = SESSION_SETTINGS
  // A supervised server comes back; until then callers get an error.
  let isOpen = false
  const known = new Map<NetworkSession, Known>()
  const opening: OpenSession = async (address, own) => {
    try {
      const session = await openServerSession(address, own, silenceLimit)
      const limit = Number(own.statement_timeout ?? statementLimit) || Number.POSITIVE_INFINITY
      if (silenceLimit !== undefined)
        known.set(session, { isPooled: address === poolerUrl, limit: limit + silenceLimit })
      return session
    } catch (error) {
      throw isOpen && isUnreachable(error) ? engineUnavailable((error as Error).message) : error
    }
  }
  const dropSilent = (since: number): void => {
    for (const [session, { isPooled }] of known) if (!isPooled && session.heardAt < since) session.drop()
  }
  /** The server itself cancels statements at their limit, so a session that still waits has lost its server. */
  const checking =
    silenceLimit === undefined
      ? undefined
      : setInterval(() => {
          const now = performance.now()
          for (const [session, { limit }] of known) {
            if (!session.isOpen) known.delete(session)
            else if (session.isWaiting && session.heardAt < now - limit) session.drop()
          }
        }, silenceLimit / 2).unref()
  const poolOf = (address: string, own: Readonly<Record<string, string>>): SessionPool =>
    new SessionPool(() => opening(address, own), sessions, waitLimit)
  const { ownSettings = {} } = options
  const pool = poolerUrl ? poolOf(poolerUrl, {}) : poolOf(url, { ...settings, ...limits, ...ownSettings })
  const pools = new Map<string, SessionPool>()
  const poolFor = (user: string | undefined): SessionPool => {
    if (user === undefined || !urlAs) return pool
    const own = pools.get(user) ?? poolOf(urlAs(user), { ...settings, ...limits })
    pools.set(user, own)
    return own
  }
  const notifyReopened = async (): Promise<void> => {
    for (const handler of onReopened) await handler()
  }
  const tellSilence = (since: number): void => {
    dropSilent(since)
    for (const handler of onSilence) handler(since)
  }
  const listener = createNotificationListener({
    address: () => ({ ...connectionTo(url), options: startupOptions(ownSettings) }),
    silenceLimit,
    onNotification(notification) {
      for (const handler of onNotification) handler(notification)
    },
    onReconnected: notifyReopened,
    onSilence(since) {
      tellSilence(since)
      setTimeout(tellSilence, silenceLimit, performance.now()).unref()
    },
  })
  const isSuperuser = await pool.withSession(async (session) => {
    const { results } = decode(
      await session.exchange(encodeScript("select current_setting('is_superuser') as superuser")),
    )
    return results[0]?.rows[0]?.superuser === 'on'
  })

  isOpen = true

  async function inSessionOf<T>(user: string, limit: number, work: (session: Session) => Promise<T>): Promise<T> {
    const login =
      urlAs || user !== PROJECT_USER ? await pool.withSession((session) => findLoginRole(session, user)) : null
    const sessionSettings = { ...settings, statement_timeout: String(limit) }
    const session = await (urlAs && login
      ? openLogin(opening, login, urlAs, { user, settings: sessionSettings })
      : openAs(opening, url, { user, settings: sessionSettings })
    ).catch((cause: Error) => {
      throw urlAs && user === PROJECT_USER && !isUnreachable(cause) ? projectCannotLogIn(cause) : cause
    })
    try {
      return await work(session)
    } finally {
      await session.close()
    }
  }

  return {
    isSuperuser,
    callerShare: sessions / 2,
    waitLimit,
    exchangeOnce: (work, { user, timedBy }) =>
      timedBy === undefined ? poolFor(user).withSession(work) : poolFor(user).shareSession(timedBy, work),
    withSession: (work, user) => poolFor(user).withSession(work),
    withSessionOf: (user, work) => inSessionOf(user, statementLimit, work),
    withProjectSession: (work) => inSessionOf(PROJECT_USER, 0, work),
    runListen: (script) => listener.run(script),
    flushNotifications: listener.flush,
    onNotification(handler) {
      onNotification.add(handler)
      return () => onNotification.delete(handler)
    },
    onReopened(handler) {
      onReopened.add(handler)
      return () => onReopened.delete(handler)
    },
    async withoutSessions(work) {
      try {
        const all = [pool, ...pools.values()]
        const alone = all.reduceRight<() => Promise<void>>(
          (inner, one) => () => one.withoutSessions(inner),
          async () => {
            await listener.disconnect()
            await work()
          },
        )
        await alone()
      } finally {
        await notifyReopened()
      }
    },
    onSilence(handler) {
      onSilence.add(handler)
    },
    dropSilent,
    async close() {
      clearInterval(checking)
      await listener.close()
      await Promise.all([pool, ...pools.values()].map((one) => one.close()))
    },
  }
}

type OpenSession = (address: string, settings: Readonly<Record<string, string>>) => Promise<ServerSession>
type OtherUser = { readonly user: string; readonly settings: Readonly<Record<string, string>> }
/** @property limit Milliseconds within which each answer must come. */
type Known = { readonly isPooled: boolean; readonly limit: number }

const projectCannotLogIn = (cause: Error): ClusterError =>
  new ClusterError(
    `The role ${PROJECT_USER} cannot log in to the project's database: ${cause.message}. Where a trigger on login refuses it, remove it from the migrations. Then \`undock reset\` creates the data again: it deletes rows, users and files, and \`undock undo\` restores them.`,
    { cause },
  )

/** A role that can't log in is reached as the authenticator after SET ROLE. */
const openLogin = (
  open: OpenSession,
  { canLogin, isGrantedToAuthenticator }: LoginRole,
  urlAs: (user: string) => string,
  { user, settings }: OtherUser,
): Promise<ServerSession> =>
  !canLogin && isGrantedToAuthenticator
    ? open(urlAs('authenticator'), { ...settings, role: user })
    : open(urlAs(user), settings)

/** How a session may become another user's: superusers may become any user, others the roles they're members of. */
const impersonationQuery = (user: string) =>
  sql`
    select case when me.rolsuper then 'user' when pg_has_role(me.oid, other.oid, 'member') then 'role' end as method
    from pg_roles me, pg_roles other where me.rolname = session_user and other.rolname = ${user}`

/** Opens a session as another user on a server given by its URL; if that's impossible, as the URL's user. */
async function openAs(open: OpenSession, url: string, { user, settings }: OtherUser): Promise<ServerSession> {
  const session = await open(url, settings)
  const { results } = decode(
    await session.exchange(Buffer.concat([...encodeStatement(impersonationQuery(user), null), SYNC])),
  )
  const method = results[0]?.rows[0]?.method
  if (method === 'user') await runScript(session, `set session authorization ${quoteIdentifier(user)}`)
  if (method === 'user' || (method !== 'role' && user === PROJECT_USER)) return session
  await session.close()
  // Set when connecting, so that RESET ROLE in a script returns to this role.
  return open(url, { ...settings, role: user })
}
