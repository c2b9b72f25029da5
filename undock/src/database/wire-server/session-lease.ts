import type { EmbeddedEngine } from '../pglite/engine.ts'
import type { MultiUserSession } from '../pglite/user-sessions.ts'
import type { Session } from '../session.ts'

/** The engine's session, held until it is released. */
export type SessionLease = MultiUserSession & { release(): void }

/** Waits for a turn and holds the session: nobody else reaches the engine until `release`.
 *  @throws 55P03 when the turn does not come in time, 0A000 when the session cannot be authenticated as another user. */
export function acquireSession(engine: EmbeddedEngine): Promise<SessionLease> {
  return new Promise((resolve, reject) => {
    engine
      .withMultiUserSession((session) => new Promise<void>((release) => resolve({ ...session, release })))
      .catch(reject)
  })
}

/** The same session, authenticated as a client.
 *  @param user The oid of the role that the client logged in as. */
export const sessionAs = (lease: SessionLease, user: number): Session => ({
  ...lease,
  exchange: (bytes) => lease.exchangeAs(user, bytes),
})
