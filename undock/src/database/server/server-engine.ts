import type { Notification } from '../db.ts'
import { decode, encodeScript } from '../engine/exchange.ts'
import { runScript } from '../script.ts'
import type { Engine } from '../session.ts'
import { createListening } from './listening.ts'
import { openServerSession, type ServerSession } from './server-session.ts'
import { SessionPool } from './session-pool.ts'

export type ServerEngineOptions = {
  readonly url: string
  /** Milliseconds a statement may run; the server cancels it. */
  readonly statementLimit: number
  /** Milliseconds somebody may wait for a session. */
  readonly waitLimit: number
  readonly sessions?: number
}

export type ServerEngine = Engine & {
  /** Does something that needs the database to have no sessions of ours, such as putting another in its place. */
  replace(work: () => Promise<void>): Promise<void>
}

/** Services ask in bursts; more sessions than this only make a small server's queue longer. */
const SESSIONS = 12

/** A Postgres server, as an engine.
 *  @throws when it cannot be reached or refuses. */
export async function openServerEngine(options: ServerEngineOptions): Promise<ServerEngine> {
  const { url, statementLimit, waitLimit, sessions = SESSIONS } = options
  const onNotification = new Set<(notification: Notification) => void>()
  const onReopened = new Set<() => void | Promise<void>>()
  const settings = { search_path: '"$user", public, extensions', TimeZone: 'UTC' }
  const pool = new SessionPool(
    () => openServerSession(url, { ...settings, statement_timeout: String(statementLimit) }),
    sessions,
    waitLimit,
  )
  const tellReopened = async (): Promise<void> => {
    for (const handler of onReopened) await handler()
  }
  const listening = createListening(
    () => url,
    (notification) => {
      for (const handler of onNotification) handler(notification)
    },
    tellReopened,
  )
  // Whether it can be reached is found out now.
  await pool.lend(async () => undefined)

  return {
    pass: (work) => pool.lend(work),
    exclusive: (work) => pool.lend(work),
    async administer(work) {
      const session = await openForProject(url, { ...settings, statement_timeout: '0' })
      try {
        return await work(session)
      } finally {
        await session.close()
      }
    },
    attend: (script) => listening.run(script),
    heard: listening.heard,
    onNotification(handler) {
      onNotification.add(handler)
      return () => onNotification.delete(handler)
    },
    onReopened(handler) {
      onReopened.add(handler)
      return () => onReopened.delete(handler)
    },
    async replace(work) {
      try {
        await pool.withoutSessions(async () => {
          await listening.rest()
          await work()
        })
      } finally {
        await tellReopened()
      }
    },
    async close() {
      await listening.close()
      await pool.close()
    },
  }
}

/** How a session may become `postgres`: a superuser is anybody, others are the roles that they are members of. */
const AS_POSTGRES = `
  select case when me.rolsuper then 'user' when pg_has_role(me.oid, postgres.oid, 'member') then 'role' end as way
  from pg_roles me, pg_roles postgres where me.rolname = session_user and postgres.rolname = 'postgres'`

/** A project's scripts are run by `postgres`, unless the server is somebody else's and does not let us. */
async function openForProject(url: string, settings: Readonly<Record<string, string>>): Promise<ServerSession> {
  const session = await openServerSession(url, settings)
  const { results } = decode(await session.exchange(encodeScript(AS_POSTGRES)))
  const way = results[0]?.rows[0]?.way
  if (way === 'user') await runScript(session, 'set session authorization postgres')
  if (way !== 'role') return session
  await session.close()
  // Part of the connection, so that RESET ROLE in a script comes back to it.
  return openServerSession(url, { ...settings, role: 'postgres' })
}
