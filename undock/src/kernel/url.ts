import { isIP } from 'node:net'
import { PROJECT_REQUEST } from './plain-fetch.js'

/** Returns whether a browser's Host or Origin header can be ours. A foreign page can point its own host name at
 *  127.0.0.1 and read the responses (DNS rebinding), but can't choose the header's value.
 *  @param host With or without a port.
 *  @param listening The server's address: beyond loopback, any numeric address may be ours. */
export function isTrustedHost(host: string, listening: string): boolean {
  const name = nameOf(host)
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost') || name === listening.toLowerCase()) return true
  return isIP(name) !== 0 && (isLoopback(name) || !isLoopback(listening))
}

/** Returns whether a request names this machine, in its Host header and in its request line if that has a host, and
 *  isn't the project's.
 *  @param listening The server's address. */
export const isForThisMachine = (request: Request, listening: string): boolean =>
  !request.headers.has(PROJECT_REQUEST) &&
  [new URL(request.url).host, request.headers.get('host')].every(
    (host) => host === null || isTrustedHost(host, listening),
  )

/** Returns whether an Origin header names a page of this machine. Beyond loopback, a numeric address may be anyone's
 *  server, unless the request itself goes there.
 *  @param host The request's Host header. */
export function isTrustedOrigin(origin: string, host: string | null, listening: string): boolean {
  const page = URL.parse(origin)
  if (page === null || !isTrustedHost(page.host, listening)) return false
  return isTrustedHost(page.host, '127.0.0.1') || [listening, nameOf(host ?? '')].includes(nameOf(page.host))
}

const nameOf = (host: string): string => host.replace(/:\d+$/, '').toLowerCase()

/** @param address An IPv4 or IPv6 address, including IPv4-mapped ones, or `localhost`. */
export const isLoopback = (address: string) => /^(?:::ffff:)?127\.|^::ffff:7f..:|^::1$|^localhost$/i.test(address)

/** Splits a complete, valid URL, which is cheaper than parsing it. `search` starts with its question mark, or is empty. */
export function splitUrl(url: string): { readonly pathname: string; readonly search: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const hash = url.indexOf('#', start)
  const end = hash === -1 ? url.length : hash
  const query = url.indexOf('?', start)
  if (query === -1 || query > end) return { pathname: url.slice(start, end), search: '' }
  return { pathname: url.slice(start, query), search: query + 1 === end ? '' : url.slice(query, end) }
}

/** Connects to databases of this machine without TLS, unless the URL asks for it. node-postgres would use PGSSLMODE
 *  from the environment, which is often set for hosted databases. */
export const connectionTo = (url: string): { readonly connectionString: string; readonly ssl?: false } =>
  /^postgres(?:ql)?:\/\/(?:[^@/]*@)?(?:127\.|localhost|\[::1\]|%2F)/i.test(url)
    ? { connectionString: url, ssl: false }
    : { connectionString: url }
