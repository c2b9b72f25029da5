import type { Access } from '../kernel/router.ts'
import { isForThisMachine, isLoopback } from '../kernel/url.ts'
import type { Sessions } from './sessions.ts'

/** Allows scripts, styles and requests only from the console's own origin, no framing and no inline scripts, so that markup in the database
 *  can't run. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self' blob:; media-src blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export type ConsoleAccess = Extract<Access, 'machine' | 'session' | 'frame' | 'change'>

export type Gate = {
  /** The console's listening address. */
  readonly host: string
  /** Whether undock runs the database. */
  readonly isLocal: boolean
  readonly sessions: Sessions
}

/** Why a request is refused; null when it's allowed. A foreign page may have pointed another host name at this machine. Ports don't
 *  separate sites, so SameSite alone would admit pages of every server on this machine. */
export function refusal(access: ConsoleAccess, request: Request, gate: Gate): Response | null {
  const { headers } = request
  if (!isForThisMachine(request, gate.host))
    return new Response('This console is available only on this machine\n', { status: 403 })
  if (access === 'machine') return null
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isOwnPage = site === null ? origin === null || isSameOrigin(origin, request) : site === 'same-origin'
  // A bucket's file opened as a page would have the console's rights.
  const isFrame = access === 'frame' && headers.get('sec-fetch-dest') === 'iframe'
  const isPage = headers.get('sec-fetch-mode') === 'navigate' && !isFrame
  if (!isOwnPage || isPage) return refuse(401, 'Only the pages of this console may ask for this')
  if (!gate.sessions.holds(request)) return refuse(401, NO_SESSION)
  return access === 'change' && !mayChange(request, gate) ? refuse(403, NOT_ALLOWED) : null
}

const refuse = (status: number, message: string): Response => Response.json({ message }, { status })

/** Whether a request may change the database. A header states that the user allowed changing a server that undock doesn't run. */
export const mayChange = ({ headers }: Request, { isLocal }: Pick<Gate, 'isLocal'>): boolean =>
  isLocal || headers.get('x-console-changes') === 'yes'

export const NOT_ALLOWED = 'This database is not local. Allow changes in the line at the top of the page first.'
const NO_SESSION = 'This browser has no session of the console. Open the link that `undock console` prints.'

/** Whether a WebSocket was opened by the console's own page. Pages of any origin can open one and read from it, and browsers differ in the
 *  other headers, so only Origin decides. */
export function isOwnSocket(request: Request, { host, sessions }: Omit<Gate, 'isLocal'>): boolean {
  const origin = request.headers.get('origin')
  return isForThisMachine(request, host) && origin !== null && isSameOrigin(origin, request) && sessions.holds(request)
}

/** Whether someone on this machine opens a page of the console. A session then starts automatically, because they can read the project's
 *  keys anyway. A foreign page gains nothing by opening it, because it can't read the response. */
export function isLocalVisit({ headers }: Request, address: string): boolean {
  return isLoopback(address) && (headers.get('sec-fetch-dest') ?? 'document') === 'document'
}

function isSameOrigin(origin: string, request: Request): boolean {
  return URL.canParse(origin) && new URL(origin).origin === new URL(request.url).origin
}
