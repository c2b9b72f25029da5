import { type Identity, TokenError } from '../../identity/identity.ts'
import { type Access, decodeSegments, type RoutePattern, type Router } from '../../kernel/router.ts'
import type { Principal } from '../../kernel/service.ts'
import { jsonHeaders, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { errorBody, invalidRequest, StorageError, storageError } from '../errors.ts'

export type StorageAccess = Extract<Access, 'anyone' | 'optional' | 'key' | 'service' | 'signature'>

export type Call = {
  readonly request: Request
  readonly query: URLSearchParams
  readonly bucket: string
  readonly key: string
  readonly caller: StorageCaller
  readonly deps: StorageDeps
}

/** The path may have the parameters `{bucket}` and `{key...}`. */
export type Route = RoutePattern<StorageAccess> & {
  readonly operation: string
  readonly handle: (call: Call) => Promise<Response>
  /** Renders errors, including refused access; in storage's own shape by default. */
  readonly refuse?: (error: StorageError, request: Request) => Response | Promise<Response>
}

export function route(
  method: string,
  path: string,
  access: StorageAccess,
  operation: string,
  handle: Route['handle'],
): Route {
  return { method, path, access, operation, handle }
}

export const PREFIX = '/storage/v1'

export const RESUMABLE_PATH = `${PREFIX}/upload/resumable`
export const S3_PATH = `${PREFIX}/s3`

type Dispatched = {
  readonly deps: StorageDeps
  refusalOf(thrown: unknown): StorageError
}

/** Finds the route, authenticates the caller and calls the handler. */
export async function dispatch(
  router: Router<Route>,
  request: Request,
  { deps, refusalOf }: Dispatched,
): Promise<Response> {
  let refuse: Required<Route>['refuse'] = refuseInOwnShape
  try {
    const url = new URL(request.url)
    const pathname = url.pathname.slice(PREFIX.length)
    const match = router.find(request.method, decodePath(pathname))
    if (match.kind !== 'found') {
      throw new StorageError('InvalidRequest', {
        error: 'Not Found',
        message: `Route ${request.method}:${pathname} not found`,
        httpStatus: 404,
      })
    }
    const { route: found, params } = match
    refuse = found.refuse ?? refuse
    const { bucket = '', key = '' } = params
    const caller: StorageCaller = {
      ...(await admit(request, found.access, deps.identity)),
      operation: found.operation,
      method: request.method,
      path: pathname + url.search,
      headers: jsonHeaders(request.headers),
    }
    return await found.handle({ request, query: url.searchParams, bucket, key, caller, deps })
  } catch (thrown) {
    return refuse(refusalOf(thrown), request)
  }
}

export const NOT_KEPT = { 'cache-control': 'no-store' }

const refuseInOwnShape = (error: StorageError): Response =>
  json(errorBody(error), { status: error.httpStatus, headers: { ...error.headers, ...NOT_KEPT } })

/** Returns a path's decoded segments. @throws {StorageError} InvalidRequest for malformed percent-encoding */
export function decodePath(path: string): string[] {
  const segments = decodeSegments(path)
  if (segments === null) throw invalidRequest(`'${path}' is not a valid url component`, 'FastifyError')
  return segments
}

const NOBODY: { principal: Principal; authenticated: boolean } = {
  principal: { role: 'anon', claims: { role: 'anon' } },
  authenticated: false,
}

const MALFORMED_TOKEN = 'Invalid Compact JWS'

/** S3 verifies its own signatures, because they cover the body.
 *  @throws {StorageError} AccessDenied in the words of upstream's JWT library */
async function admit(
  request: Request,
  access: StorageAccess,
  identity: Identity,
): Promise<{ principal: Principal; authenticated: boolean }> {
  if (access === 'anyone' || access === 'signature') return NOBODY
  const credential = identity.credential(request)
  if (credential === null) {
    if (access === 'optional') return NOBODY
    // The gateway of `supabase start` always forwards a header, which is empty without a key.
    throw storageError('AccessDenied', { message: MALFORMED_TOKEN })
  }
  try {
    const principal = await identity.verify(credential)
    if (access === 'service' && principal.role !== 'service_role') {
      throw storageError('AccessDenied', { message: 'Access denied: Invalid role', httpStatus: 403 })
    }
    return { principal, authenticated: true }
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    if (access === 'optional') return NOBODY
    throw storageError('AccessDenied', { message: TOKEN_FAULTS[error.fault] ?? error.message, cause: error })
  }
}

export const TOKEN_FAULTS: Partial<Record<TokenError['fault'], string>> = {
  malformed: MALFORMED_TOKEN,
  signature: 'signature verification failed',
  expired: '"exp" claim timestamp check failed',
  not_yet_valid: '"nbf" claim timestamp check failed',
}

export const json = (body: unknown, init: ResponseInit = {}): Response => Response.json(body, init)
