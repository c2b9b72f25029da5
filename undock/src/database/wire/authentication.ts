import type { Socket } from 'node:net'
import { sql, statement } from '../../kernel/sql.ts'
import type { Db } from '../db.ts'
import { encodeSaslContinue, encodeSaslFinal, encodeSaslOffer } from './backend.ts'
import type { FrontendReader } from './frontend.ts'
import { takeString } from './frontend.ts'
import { beginExchange, MECHANISM, makeVerifier, readVerifier, type Verifier } from './scram.ts'

export type Refused = { readonly code: string; readonly message: string }

/** Before a client has shown its password it may not send much. */
const LARGEST_ANSWER = 10_000

type Role = { rolcanlogin: boolean; rolpassword: string | null; expired: boolean | null }

/** Asks for the password by SCRAM-SHA-256. A role with a password of its own needs that one; all others, which are
 *  those of a fresh project, have the password of `supabase start`.
 *  @returns why the client may not come in, or null. */
export async function authenticate(
  reader: FrontendReader,
  socket: Socket,
  user: string,
  { db, password }: { db: Db; password: string },
): Promise<Refused | null> {
  const role = await findRole(db, user)
  const wrong = { code: '28P01', message: `password authentication failed for user "${user}"` }
  socket.write(encodeSaslOffer(MECHANISM))
  const first = await reader.next(LARGEST_ANSWER)
  if (!first) return wrong
  if (first.type !== 'p') return { code: '08P01', message: 'expected a password response' }
  const { text: mechanism, rest } = takeString(first.body)
  const exchange =
    mechanism === MECHANISM ? beginExchange(rest.toString('utf8', 4), verifierOf(role, password)) : undefined
  if (!exchange) return { code: '08P01', message: 'malformed SCRAM message' }
  socket.write(encodeSaslContinue(exchange.challenge))
  const final = await reader.next(LARGEST_ANSWER)
  const signature = final?.type === 'p' ? exchange.answer(final.body.toString()) : null
  // An unknown user goes through the whole exchange, so that its answers tell nothing about which roles there are.
  if (signature === null || !role || role.expired) return wrong
  if (!role.rolcanlogin) return { code: '28000', message: `role "${user}" is not permitted to log in` }
  socket.write(encodeSaslFinal(signature))
  return null
}

async function findRole(db: Db, user: string): Promise<Role | undefined> {
  const { rows } = await db.query<Role>(
    statement(sql`select rolcanlogin, rolpassword, rolvaliduntil < now() as expired
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
