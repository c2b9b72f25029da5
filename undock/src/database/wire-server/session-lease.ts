import type { EmbeddedEngine } from '../pglite/engine.ts'
import type { WaitOptions } from '../pglite/session-lock.ts'
import type { MultiUserSession } from '../pglite/user-sessions.ts'
import type { Session } from '../session.ts'

/** The engine's session, held until it is released. */
export type SessionLease = MultiUserSession & { release(): void }

/** The session during the turn of a client. */
export type ClientTurn = Omit<Session, 'exchange'> & {
  /** @param signal Cancels the client's statement when it is aborted. Without it the exchange is one of the wire server's own, on
   *    which the client's timeout has no effect. */
  exchange(bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>
}

/** Waits for a turn and holds the session: nobody else reaches the engine until `release`.
 *  @throws 55P03 when the turn does not come in time, 0A000 when the session cannot be authenticated as another user. */
export function acquireSession(engine: EmbeddedEngine, wait?: WaitOptions): Promise<SessionLease> {
  return new Promise((resolve, reject) => {
    engine
      .withMultiUserSession((session) => new Promise<void>((release) => resolve({ ...session, release })), wait)
      .catch(reject)
  })
}

/** The same session, authenticated as a client.
 *  @param user The oid of the role that the client logged in as. */
export const sessionAs = (lease: SessionLease, user: number, processId: number): ClientTurn => ({
  ...lease,
  exchange: (bytes, signal) =>
    lease.exchangeAs(user, bytes, { processId, ...(signal ? { signal } : { ignoresTimeout: true }) }),
})
