import type { PGlite } from '@electric-sql/pglite'

/** The address of `AuthenticatedUserId` (Postgres' miscinit.c) in the memory of this build of PGlite, which does not export it. */
const ADDRESS = 2_994_332

/** The oids of the user that initdb creates, and of the role pg_monitor, which is not a superuser; every cluster has the same. */
const OWNER = 10
const MONITOR = 3373

/** Runs a script and returns the complete response. */
type Run = (script: string) => Uint8Array

/** Postgres allows SET SESSION AUTHORIZATION to any user as long as the session's authenticated user is a superuser. The only
 *  session of the embedded engine is authenticated as the cluster's owner, and all clients share it: while a client is
 *  served, the session must be authenticated as that client's user. Postgres has no statement for this, so the variable
 *  is written in the engine's memory. */
export class AuthenticatedUser {
  readonly #database: PGlite

  private constructor(database: PGlite) {
    this.#database = database
  }

  /** Checks that the variable is at the expected address: writing another user there must take away the owner's rights.
   *  @returns null when it is not, as with another build of PGlite. */
  static find(database: PGlite, run: Run): AuthenticatedUser | null {
    const user = new AuthenticatedUser(database)
    // Without this setting the session would not return to its user after a transaction that was authorized as another.
    const isAllowed = (): boolean => !Buffer.from(run(AUTHORIZE)).includes('\0C42501\0M', 0, 'latin1')
    if (!isAllowed() || user.#word[0] !== OWNER) return null
    return user.during(MONITOR, isAllowed) ? null : user
  }

  /** Runs `work` while the session is authenticated as the role with this oid. */
  during<T>(role: number, work: () => T): T {
    this.#word[0] = role
    try {
      return work()
    } finally {
      this.#word[0] = OWNER
    }
  }

  /** Read again each time, because the memory gets another buffer when it grows. */
  get #word(): Uint32Array {
    return new Uint32Array(this.#database.Module.HEAPU8.buffer, ADDRESS, 1)
  }
}

const AUTHORIZE = "select pg_catalog.set_config('session_authorization', session_user, false)"
