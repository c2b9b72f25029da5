import { isTrustedHost } from '../kernel/trusted-host.ts'
import type { Sessions } from './sessions.ts'

/** Scripts, styles and requests come from the console's own origin alone, no page may show it in a frame, and no
 *  script inline runs: a value of the database that is markup stays text. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self' blob:; media-src blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Whether the Host header names this machine; otherwise a foreign page has pointed a name of its own at it.
 *  @param host The address that the console listens on. */
export const hasOwnHost = (request: Request, host: string): boolean => isTrustedHost(new URL(request.url).host, host)

/** Why a request to the console's data is refused; null when it comes from the console's own page.
 *  Ports do not separate sites, so SameSite alone would let in the pages of every server on this machine. */
export function refusal(request: Request, sessions: Sessions): string | null {
  const { headers } = request
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isOwnPage = site === null ? origin === null || isSameOrigin(origin, request) : site === 'same-origin'
  // A file of a bucket that is opened as a page would run with the console's rights. The frame of a mail may be opened: its
  // policy lets nothing run.
  const isPage = headers.get('sec-fetch-mode') === 'navigate' && !isMailFrame(request)
  if (!isOwnPage || isPage) return NOT_OWN
  return sessions.holds(request) ? null : NO_SESSION
}

/** Whether a WebSocket is opened by the console's own page. A page of any origin may open one and read from it, and browsers differ
 *  in what else they say of it, so its Origin decides alone. */
export function isOwnSocket(request: Request, sessions: Sessions): boolean {
  const origin = request.headers.get('origin')
  return origin !== null && isSameOrigin(origin, request) && sessions.holds(request)
}

const NOT_OWN = 'Only the pages of this console may ask for this'
const NO_SESSION = 'This browser has no session of the console. Open the link that `undock console` prints.'

/** Whether a person at this machine opens a page of the console: then a session begins by itself, as anybody who can do that
 *  can read the project's keys, too. A page that opens it from elsewhere gains nothing, because it cannot read the answer. */
export function isLocalVisit({ headers }: Request, address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address) && (headers.get('sec-fetch-dest') ?? 'document') === 'document'
}

/** Whether a frame of the console shows a mail, or the preview of one. */
const isMailFrame = ({ url, headers }: Request): boolean =>
  /^\/api\/mail(?:-templates)?\/view\//.test(new URL(url).pathname) && headers.get('sec-fetch-dest') === 'iframe'

function isSameOrigin(origin: string, request: Request): boolean {
  return URL.canParse(origin) && new URL(origin).origin === new URL(request.url).origin
}
