import { type Identity, TokenError, type TokenFault } from '../../identity/identity.ts'
import type { Claims, Principal } from '../../kernel/service.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { isUuid } from '../models/params.ts'
import { type Session, selectSession, sessionFault, sessionIdIs } from '../models/sessions.ts'
import { type Factor, isBanned, type User } from '../models/user.ts'
import { findUser, INSTANCE_ID, idIs, selectUser } from '../models/users.ts'
import type { AuthenticatedUser, Call } from './call.ts'

/** Returns the user of the request's access token, which may belong to an OAuth client, and its session.
 *  @throws `no_authorization`, `bad_jwt`, `user_not_found`, `session_not_found`, `user_banned`
 *  @see supabase/auth internal/api/auth.go */
export async function requireBearer(request: Request, deps: AuthDeps, now: Date): Promise<AuthenticatedUser> {
  const { claims } = await verifyBearer(request, deps.identity)
  const caller = await loadUser(claims, deps)
  if (isBanned(caller.user, now)) throw authError('bearerBanned')
  return caller
}

/** Returns the user who signed in to this project. Unlike upstream, refuses OAuth clients, which have some scopes but
 *  not the account: they could take it over, or approve another client with all scopes.
 *  @throws `no_authorization` for a client's token, and what `requireBearer` throws */
export async function requireUser(request: Request, deps: AuthDeps, now: Date): Promise<AuthenticatedUser> {
  const caller = await requireBearer(request, deps, now)
  if (isOAuthClient(caller)) throw authError('oauthClientNotAllowed')
  return caller
}

/** Also checks the session: a hook may remove the token's claim. */
export const isOAuthClient = ({ claims, session }: AuthenticatedUser): boolean =>
  Boolean(session?.oauth_client_id ?? claims.client_id)

/** @throws `not_admin` unless the request carries the service role's key or token */
export async function requireAdmin(request: Request, deps: AuthDeps, now: Date): Promise<void> {
  const { claims, role } = await verifyBearer(request, deps.identity)
  // A user's token with the service role, which a project can issue, is only valid while its session lasts.
  if (sessionIdOf(claims) !== null) {
    const { session } = await loadUser(claims, deps)
    if (session && sessionFault(session, deps.config.sessions, now)) throw authError('sessionOver')
  }
  if (role !== 'service_role') throw authError('notAdmin')
}

const FAULTS: Record<TokenFault, string> = {
  malformed: 'token is malformed: token contains an invalid number of segments',
  signature: 'token signature is invalid: signature is invalid',
  expired: 'token has invalid claims: token is expired',
  not_yet_valid: 'token has invalid claims: token is not valid yet',
  claims: 'token has invalid claims: invalid claims',
}

async function verifyBearer(request: Request, identity: Identity): Promise<Principal> {
  const header = request.headers.get('authorization')
  const credential = identity.credential(request)
  const isBearer = header !== null && /^bearer \S+$/i.test(header)
  // Without the header, a new API key replaces the token; a legacy key doesn't.
  if (!credential || (!isBearer && (header !== null || !credential.startsWith('sb_')))) throw authError('tokenMissing')
  try {
    return await identity.verify(credential)
  } catch (error) {
    if (error instanceof TokenError) throw authError('tokenInvalid', [FAULTS[error.fault]], { cause: error })
    throw error
  }
}

/** Loads user and session in one round trip, the cost of every `GET /user`. */
async function loadUser(claims: Claims, { db }: AuthDeps): Promise<AuthenticatedUser> {
  const { sub } = claims
  if (typeof sub !== 'string' || sub === '') throw authError('subjectMissing')
  if (!isUuid(sub)) throw authError('subjectInvalid')
  const sessionId = sessionIdOf(claims)
  if (sessionId !== null && !isUuid(sessionId)) throw authError('sessionClaimInvalid')
  const results = await db.run([selectUser(idIs(sub)), ...(sessionId ? [selectSession(sessionIdIs(sessionId))] : [])])
  const user = results[0]?.rows[0] as User | undefined
  const session = results[1]?.rows[0] as Session | undefined
  if (!user) throw authError('subjectUnknown')
  if (sessionId && !session) throw authError('sessionUnknown')
  return { claims, user, session: session ?? null }
}

function sessionIdOf({ session_id: id }: Claims): string | null {
  return typeof id === 'string' && id !== '' && id !== INSTANCE_ID ? id : null
}

/** Returns the user in the path. @throws `validation_failed`, `user_not_found` */
export async function userOfPath({ db }: AuthDeps, { params }: Call): Promise<User> {
  const id = params.user_id ?? ''
  if (!isUuid(id)) throw authError('userIdInvalid')
  const user = await findUser(db, idIs(id))
  if (!user) throw authError('userUnknown')
  return user
}

/** Returns the user's factor in the path. @throws `validation_failed`, `mfa_factor_not_found` */
export function factorOfPath(user: User, { params }: Pick<Call, 'params'>): Factor {
  const id = params.factor_id ?? ''
  if (!isUuid(id)) throw authError('factorIdInvalid')
  const factor = user.factors.find((one) => one.id === id.toLowerCase())
  if (!factor) throw authError('factorUnknown')
  return factor
}
