import { decodeJwt } from 'jose'
import type { Identity } from '../identity/identity.ts'
import { decodeSegments } from '../kernel/router.ts'
import { isTrustedHost } from '../kernel/url.ts'

// The keys of a local project are known to everybody, so a key does not show that its sender may use it. A web page that is
// open in the developer's browser could send them here: what only the developer may do asks for a page of their own.

export type ForeignPagesOptions = {
  readonly identity: Identity
  /** The address that the stack listens on. */
  readonly host: string
  /** Addresses that are the developer's own, too, which may change: `https://admin.example.com`. Their pages may use everything, and
   *  requests may name them as the server. What is no address is passed over. */
  readonly ownUrls: () => readonly string[]
}

export type ForeignPages = {
  /** Whether a request is refused because of where its page is from. Tokens that a socket gets later are for its service to judge.
   *  @param service The first segment of its path. */
  refuses(request: Request, service: string): boolean
  /** Whether a request comes from a web page that is neither of this machine nor allowed, or names a server that is neither.
   *  Only browsers say where a page is from; other programs need no more than the right name. */
  isForeign(request: Pick<Request, 'headers'>): boolean
}

/** The services that are for the developer's own programs: no page has a reason to call them from elsewhere. */
export const OWN_ROUTES: ReadonlySet<string> = new Set(['undock', 'mcp'])

export function createForeignPages({ identity, host: listening, ownUrls }: ForeignPagesOptions): ForeignPages {
  const ownAddresses = (): URL[] => ownUrls().flatMap((own) => URL.parse(own) ?? [])

  function isForeign({ headers }: Pick<Request, 'headers'>): boolean {
    // A page may have pointed a name of its own at this machine, which its browser then takes for the page's own server: it
    // sends no Origin with a GET, and to a server without TLS nothing else about the page either.
    const host = headers.get('host')
    if (host !== null && !isOurs(`http://${host}`)) return true
    const origin = headers.get('origin')
    // A browser sends no Origin with a GET that its page cannot read.
    if (origin === null) return headers.get('sec-fetch-site') === 'cross-site'
    const page = URL.parse(origin)
    return (
      page === null || !(isTrustedHost(page.host, listening) || ownAddresses().some((own) => own.host === page.host))
    )
  }

  /** Whether an address names this machine, or what is configured to lead here. */
  function isOurs(address: string): boolean {
    const url = URL.parse(address)
    return (
      url !== null &&
      (isTrustedHost(url.host, listening) || ownAddresses().some(({ hostname }) => hostname === url.hostname))
    )
  }

  /** Whether a request carries a key or a token that opens everything. */
  function carriesSecret(request: Request): boolean {
    // Every call of the S3 protocol is signed with the project's one secret.
    if (decodeSegments(new URL(request.url).pathname)?.slice(0, 3).join('/') === 'storage/v1/s3') return true
    const credential = identity.credential(request)
    return credential !== null && (credential === identity.keys.secret || roleOf(credential) === 'service_role')
  }

  return {
    isForeign,
    // A request may name its server in its first line, too.
    refuses: (request, service) =>
      (isForeign(request) || !isOurs(request.url)) && (OWN_ROUTES.has(service) || carriesSecret(request)),
  }
}

/** The role that a token claims; whether it is true is not for here to say. */
function roleOf(credential: string): unknown {
  try {
    return decodeJwt(credential).role
  } catch {
    return null
  }
}
