import { quoteIdentifier } from '../../kernel/sql.ts'
import { ENGINE_USER } from '../engine-user.ts'
import { findLoginRole } from '../protocol/login-role.ts'
import { runScript } from '../protocol/run-script.ts'
import type { Session } from '../session.ts'

/** The session, used by several users in turn. */
export type MultiUserSession = Session & {
  /** @param user The oid of the role that the session is authenticated as during the exchange. */
  exchangeAs(user: number, bytes: Uint8Array): Promise<Uint8Array>
}

/** Lends the session in the state that a role finds after it has logged in. */
export async function asUser<T>(
  user: string,
  shared: MultiUserSession,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { oid } = await findLoginRole(shared, user)
  try {
    await runScript(shared, `set session authorization ${quoteIdentifier(user)}`)
    return await work({ ...shared, exchange: (bytes) => shared.exchangeAs(oid, bytes) })
  } finally {
    await runScript(shared, 'rollback')
    // RESET SESSION AUTHORIZATION changes nothing in PGlite, naming the user does.
    await runScript(shared, `set session authorization ${ENGINE_USER}; reset role; reset all`)
    await runScript(shared, 'discard temp')
  }
}

/** Views of the session for the platform's users, by name: each role is looked up once while an engine is open. */
export class UserSessions<S> {
  readonly #known = new Map<string, S>()
  readonly #make: (role: number) => S

  constructor(make: (role: number) => S) {
    this.#make = make
  }

  get(user: string): S | undefined {
    return this.#known.get(user)
  }

  /** @param session A session that nobody else uses during the call. */
  async add(user: string, session: Session): Promise<void> {
    this.#known.set(user, this.#make((await findLoginRole(session, user)).oid))
  }

  clear(): void {
    this.#known.clear()
  }
}
