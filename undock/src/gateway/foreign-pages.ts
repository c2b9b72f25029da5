import { decodeJwt } from 'jose'
import type { Identity } from '../identity/identity.ts'
import { isTrustedHost } from '../kernel/trusted-host.ts'

// The keys of a local project are known to everybody, so a key does not show that its sender may use it. A web page that is
// open in the developer's browser could send them here: what only the developer may do asks for a page of their own.

export type ForeignPagesOptions = {
  readonly identity: Identity
  /** The address that the stack listens on. */
  readonly host: string
  /** Addresses whose pages are the developer's own, too, which may change: `https://admin.example.com`. What is no address is passed
   *  over. */
  readonly ownUrls: () => readonly string[]
}

export type ForeignPages = {
  /** Whether a request is refused because of where its page is from. Tokens that a socket gets later are for its service to judge.
   *  @param service The first segment of its path. */
  refuses(request: Request, service: string): boolean
  /** Whether a request comes from a web page that is neither of this machine nor allowed. Only browsers say where a page is
   *  from; requests of other programs never count as foreign. */
  isForeign(request: Pick<Request, 'headers'>): boolean
}

/** The services that are for the developer's own programs: no page has a reason to call them from elsewhere. */
export const OWN_ROUTES: ReadonlySet<string> = new Set(['undock', 'mcp'])

export function createForeignPages({ identity, host, ownUrls }: ForeignPagesOptions): ForeignPages {
  function isForeign({ headers }: Pick<Request, 'headers'>): boolean {
    const origin = headers.get('origin')
    if (origin !== null) return !isOwn(origin)
    const site = headers.get('sec-fetch-site')
    if (site === null) return false
    // A browser sends no Origin with a GET that its page cannot read, and with one to what it takes for the page's own
    // server: a name that somebody has pointed at this machine.
    return site === 'cross-site' || !isOwn(`http://${headers.get('host') ?? ''}`)
  }

  function isOwn(url: string): boolean {
    if (!URL.canParse(url)) return false
    const { host: name } = new URL(url)
    return isTrustedHost(name, host) || ownUrls().some((own) => URL.parse(own)?.host === name)
  }

  /** Whether a request carries a key or a token that opens everything. */
  function carriesSecret(request: Request): boolean {
    // Every call of the S3 protocol is signed with the project's one secret.
    if (new URL(request.url).pathname.startsWith('/storage/v1/s3')) return true
    const credential = identity.credential(request)
    return credential !== null && (credential === identity.keys.secret || roleOf(credential) === 'service_role')
  }

  return {
    isForeign,
    refuses: (request, service) => isForeign(request) && (OWN_ROUTES.has(service) || carriesSecret(request)),
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
