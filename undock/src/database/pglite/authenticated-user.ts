import type { PGlite } from '@electric-sql/pglite'

/** The address of `AuthenticatedUserId` (Postgres' miscinit.c) in the memory of this build of PGlite, which does not export it. */
const ADDRESS = 2_994_332

/** The oids of the user that initdb creates, and of the role pg_monitor, which is not a superuser; every cluster has the same. */
const OWNER = 10
const MONITOR = 3373

/** Sends messages of the protocol and returns the complete response. */
type Exchange = (bytes: Uint8Array) => Uint8Array

/** Postgres allows SET SESSION AUTHORIZATION to any user as long as the session's authenticated user is a superuser. The only
 *  session of the embedded engine is authenticated as the cluster's owner, and all clients share it: while a client is
 *  served, the session must be authenticated as that client's user. Postgres has no statement for this, so the variable
 *  is written in the engine's memory. */
export class AuthenticatedUser {
  readonly #database: PGlite
  readonly #exchange: Exchange

  private constructor(database: PGlite, exchange: Exchange) {
    this.#database = database
    this.#exchange = exchange
  }

  /** Checks that the variable is at the expected address: writing another user there must take away the owner's rights.
   *  @returns null when it is not, as with another build of PGlite. */
  static find(database: PGlite, exchange: Exchange): AuthenticatedUser | null {
    const user = new AuthenticatedUser(database, exchange)
    // Without this setting the session would not return to its user after a transaction that was authorized as another.
    const isAllowed = (): boolean => !Buffer.from(user.#exchange(query(AUTHORIZE))).includes('\0C42501\0M', 0, 'latin1')
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

  /** Read anew each time, because the memory gets another buffer when it grows. */
  get #word(): Uint32Array {
    return new Uint32Array(this.#database.Module.HEAPU8.buffer, ADDRESS, 1)
  }
}

const AUTHORIZE = "select pg_catalog.set_config('session_authorization', session_user, false)"

/** Encodes a simple Query, so that the worker needs no library for the protocol. */
function query(text: string): Uint8Array {
  const message = Buffer.alloc(text.length + 6)
  message.write('Q')
  message.writeUInt32BE(text.length + 5, 1)
  message.write(text, 5)
  return message
}
