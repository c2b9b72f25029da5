import { type Identity, TokenError } from '../identity/identity.ts'
import type { Principal } from '../kernel/service.ts'
import { type Caller, jsonHeaders } from './caller.ts'
import type { StorageDeps } from './deps.ts'
import { invalidRequest, StorageError, storageError } from './errors.ts'

/** Who may call: `jwt` needs a valid credential, `optional` takes a missing or bad one for nobody, `anyone` doesn't
 *  look (the URL itself is the credential, or nothing is secret), `service` is for the service role alone. */
export type Access = 'jwt' | 'optional' | 'anyone' | 'service'

export type Call = {
  readonly request: Request
  readonly query: URLSearchParams
  readonly bucket: string
  /** What stands for `*` in the pattern, decoded. */
  readonly key: string
  readonly caller: Caller
  readonly deps: StorageDeps
}

export type Route = {
  readonly methods: readonly string[]
  /** Segments after the service's prefix: text, `:bucket`, and a last `*` for the rest. */
  readonly pattern: readonly string[]
  readonly access: Access
  readonly operation: string
  readonly handle: (call: Call) => Promise<Response>
}

export function route(
  method: string,
  pattern: string,
  access: Access,
  operation: string,
  handle: Route['handle'],
): Route {
  return { methods: method.split('|'), pattern: pattern.split('/').slice(1), access, operation, handle }
}

export const PREFIX = '/storage/v1'

/** Where resumable uploads are made and gone on with. */
export const RESUMABLE_PATH = `${PREFIX}/upload/resumable`
export const S3_PATH = `${PREFIX}/s3`

/** Finds the first route that fits and calls it for whoever asks. @throws {StorageError} */
export async function dispatch(routes: readonly Route[], request: Request, deps: StorageDeps): Promise<Response> {
  const url = new URL(request.url)
  const segments = decodePath(url.pathname.slice(PREFIX.length))
  for (const candidate of routes) {
    const match = candidate.methods.includes(request.method) ? matchSegments(candidate.pattern, segments) : null
    if (!match) continue
    const identified = await identify(request, candidate.access, deps.identity)
    const caller: Caller = {
      ...identified,
      operation: candidate.operation,
      method: request.method,
      path: url.pathname.slice(PREFIX.length) + url.search,
      headers: jsonHeaders(request.headers),
    }
    return candidate.handle({ request, query: url.searchParams, ...match, caller, deps })
  }
  throw new StorageError('InvalidRequest', {
    error: 'Not Found',
    message: `Route ${request.method}:${url.pathname.slice(PREFIX.length)} not found`,
    httpStatus: 404,
  })
}

/** The segments of a path. @throws {StorageError} InvalidRequest for one that is not percent-encoded as it should be */
export function decodePath(path: string): string[] {
  try {
    return path
      .split('/')
      .slice(1)
      .map((segment) => decodeURIComponent(segment))
  } catch {
    throw invalidRequest(`'${path}' is not a valid url component`, 'FastifyError')
  }
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): { bucket: string; key: string } | null {
  let bucket = ''
  for (const [index, part] of pattern.entries()) {
    if (part === '*') {
      return segments.length > index ? { bucket, key: segments.slice(index).join('/') } : null
    }
    const segment = segments[index]
    if (segment === undefined) return null
    if (part === ':bucket') bucket = segment
    else if (part !== segment) return null
  }
  const rest = segments.slice(pattern.length)
  return rest.length === 0 || (rest.length === 1 && rest[0] === '') ? { bucket, key: '' } : null
}

const NOBODY: { principal: Principal; authenticated: boolean } = {
  principal: { role: 'anon', claims: { role: 'anon' } },
  authenticated: false,
}

/** @throws {StorageError} AccessDenied in the words of the JWT library that upstream uses */
export async function identify(
  request: Request,
  access: Access,
  identity: Identity,
): Promise<{ principal: Principal; authenticated: boolean }> {
  if (access === 'anyone') return NOBODY
  const credential = identity.credential(request)
  if (credential === null) {
    if (access === 'optional') return NOBODY
    throw invalidRequest("headers must have required property 'authorization'", 'Error')
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

/** What is wrong with a token, in the words of the JWT library that upstream uses. */
export const TOKEN_FAULTS: Partial<Record<TokenError['fault'], string>> = {
  malformed: 'Invalid Compact JWS',
  signature: 'signature verification failed',
  expired: '"exp" claim timestamp check failed',
  not_yet_valid: '"nbf" claim timestamp check failed',
}

/** Answers JSON, and only its headers to a HEAD. */
export function json(body: unknown, init: ResponseInit = {}): Response {
  return Response.json(body, init)
}
