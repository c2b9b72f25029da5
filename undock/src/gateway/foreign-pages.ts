import { decodeJwt } from 'jose'
import type { Identity } from '../identity/identity.ts'
import { PROJECT_REQUEST } from '../kernel/plain-fetch.js'
import { decodeSegments } from '../kernel/router.ts'
import { isTrustedHost, isTrustedOrigin } from '../kernel/url.ts'

// A local project's keys are public knowledge, so a key doesn't authenticate its sender: any page open in the
// developer's browser could send them. Developer-only routes therefore require a trusted origin.

export type ForeignPagesOptions = {
  readonly identity: Identity
  readonly host: string
  /** Additional trusted addresses, such as `https://admin.example.com`: valid as origins and as host names. Read on
   *  each request; invalid entries are ignored. */
  readonly ownUrls: () => readonly string[]
}

export type ForeignPages = {
  /** Returns whether to refuse a request because of its origin. Tokens sent later over a socket are checked by their
   *  service.
   *  @param service The first path segment. */
  refuses(request: Request, service: string): boolean
  /** Returns whether a request comes from a page of another machine or names an untrusted host. Only browsers send an
   *  origin, so other programs only need a trusted host. */
  isForeign(request: Pick<Request, 'headers'>): boolean
}

/** Developer-only services that no page from elsewhere, and no SQL of the project, has a reason to call. */
export const OWN_ROUTES: ReadonlySet<string> = new Set(['undock', 'mcp'])

const MAX_KNOWN = 100

export function createForeignPages({ identity, host: listening, ownUrls }: ForeignPagesOptions): ForeignPages {
  const ownAddresses = (): URL[] => ownUrls().flatMap((own) => URL.parse(own) ?? [])

  function isForeign({ headers }: Pick<Request, 'headers'>): boolean {
    // DNS rebinding: a page can point its own host name at this machine. Its GETs then count as same-origin and carry
    // no Origin, and without TLS no Sec-Fetch headers either.
    const host = headers.get('host')
    if (host !== null && !isOurs(`http://${host}`)) return true
    const origin = headers.get('origin')
    // Browsers omit Origin from no-cors GETs.
    if (origin === null) return headers.get('sec-fetch-site') === 'cross-site'
    const page = URL.parse(origin)?.host
    return !isTrustedOrigin(origin, host, listening) && !ownAddresses().some((own) => own.host === page)
  }

  /** Schemes and hosts that name this machine. Gain: 4 % of a read's CPU time, for parsing its host twice. */
  const origins = new Set<string>()

  /** Whether an address names this machine or is configured as trusted. */
  function isOurs(address: string): boolean {
    // What precedes the first slash of the path decides the host.
    const slash = address.indexOf('/', address.indexOf('://') + 3)
    const origin = slash === -1 ? address : address.slice(0, slash)
    if (origins.has(origin)) return true
    const url = URL.parse(address)
    if (url === null) return false
    if (!isTrustedHost(url.host, listening)) return ownAddresses().some(({ hostname }) => hostname === url.hostname)
    if (origins.size < MAX_KNOWN) origins.add(origin)
    return true
  }

  function carriesSecret(request: Request): boolean {
    // Every S3 call is signed with the project's secret.
    if (decodeSegments(new URL(request.url).pathname)?.slice(0, 3).join('/') === 'storage/v1/s3') return true
    const credential = identity.credential(request)
    return credential !== null && (credential === identity.keys.secret || namesServiceRole(credential))
  }

  return {
    isForeign,
    // A request line may name the host as well.
    refuses: (request, service) =>
      (OWN_ROUTES.has(service) && request.headers.has(PROJECT_REQUEST)) ||
      ((isForeign(request) || !isOurs(request.url)) && (OWN_ROUTES.has(service) || carriesSecret(request))),
  }
}

/** Whether any claim of a token, unverified, names the service role: `pgrst.jwt_role_claim_key` chooses the claim. */
function namesServiceRole(credential: string): boolean {
  try {
    return JSON.stringify(decodeJwt(credential)).includes('"service_role"')
  } catch {
    return false
  }
}
