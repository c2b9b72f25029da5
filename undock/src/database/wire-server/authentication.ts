import type { Socket } from 'node:net'
import { sql, statement } from '../../kernel/sql.ts'
import type { Db } from '../db.ts'
import { superuserLoginRefused } from '../protocol/errors.ts'
import { encodeSaslContinue, encodeSaslFinal, encodeSaslOffer } from './backend-messages.ts'
import type { FrontendReader } from './frontend-messages.ts'
import { takeString } from './frontend-messages.ts'
import { beginExchange, MECHANISM, makeVerifier, readVerifier, type Verifier } from './scram.ts'

export type LoginRefusal = { readonly code: string; readonly message: string }

/** The most bytes of a message before the client is authenticated. */
const MAX_PASSWORD_MESSAGE = 10_000

type Role = {
  oid: number
  rolsuper: boolean
  rolcanlogin: boolean
  rolpassword: string | null
  expired: boolean | null
}

/** Authenticates a client by SCRAM-SHA-256. A role with a password of its own needs that one; the roles of a new project have the
 *  password of `supabase start`.
 *  @returns the role's oid, or why the client is refused. Superusers are refused: their password is public, and a superuser
 *    can reach the machine. */
export async function authenticate(
  reader: FrontendReader,
  socket: Socket,
  user: string,
  { db, password }: { db: Db; password: string },
): Promise<LoginRefusal | { readonly id: number }> {
  const role = await findRole(db, user)
  const wrong = { code: '28P01', message: `password authentication failed for user "${user}"` }
  socket.write(encodeSaslOffer(MECHANISM))
  const first = await reader.next(MAX_PASSWORD_MESSAGE)
  if (!first) return wrong
  if (first.type !== 'p') return { code: '08P01', message: 'expected a password response' }
  const { text: mechanism, rest } = takeString(first.body)
  const exchange =
    mechanism === MECHANISM ? beginExchange(rest.toString('utf8', 4), verifierOf(role, password)) : undefined
  if (!exchange) return { code: '08P01', message: 'malformed SCRAM message' }
  socket.write(encodeSaslContinue(exchange.challenge))
  const final = await reader.next(MAX_PASSWORD_MESSAGE)
  const signature = final?.type === 'p' ? exchange.answer(final.body.toString()) : null
  // An unknown user goes through the whole exchange, so that the responses do not reveal which roles exist.
  if (signature === null || !role || role.expired) return wrong
  if (!role.rolcanlogin) return { code: '28000', message: `role "${user}" is not permitted to log in` }
  if (role.rolsuper) return { code: '28000', message: superuserLoginRefused(user).message }
  socket.write(encodeSaslFinal(signature))
  return { id: role.oid }
}

async function findRole(db: Db, user: string): Promise<Role | undefined> {
  const { rows } = await db.query<Role>(
    statement(sql`select oid, rolsuper, rolcanlogin, rolpassword, rolvaliduntil < now() as expired
                  from pg_catalog.pg_authid where rolname = ${user}`),
  )
  return rows[0]
}

const verifiers = new Map<string, Verifier>()

function verifierOf(role: Role | undefined, password: string): Verifier {
  const own = role?.rolpassword ? readVerifier(role.rolpassword) : undefined
  const known = own ?? verifiers.get(password) ?? makeVerifier(password)
  if (!own) verifiers.set(password, known)
  return known
}
