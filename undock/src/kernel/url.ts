import { isIP } from 'node:net'

/** Whether the Host or Origin header that a browser sends can be ours. A foreign web page can point a host name of its
 *  own at 127.0.0.1 and then read the responses (DNS rebinding), but it cannot choose the header's value.
 *  @param host With or without a port.
 *  @param listening The address the server listens on: beyond loopback, any numeric address may be ours. */
export function isTrustedHost(host: string, listening: string): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost') || name === listening.toLowerCase()) return true
  return isIP(name) !== 0 && (isLoopback(name) || !isLoopback(listening))
}

/** @param address An IPv4 or IPv6 address, also one of IPv4 written as one of IPv6, or `localhost`. */
export const isLoopback = (address: string) => /^(?:::ffff:)?127\.|^::ffff:7f..:|^::1$|^localhost$/i.test(address)

/** The parts of a request's URL, which is complete and valid already: this is cheaper than parsing it again.
 *  @returns both parts unchanged; `search` begins with its question mark, or is empty. */
export function splitUrl(url: string): { readonly pathname: string; readonly search: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const hash = url.indexOf('#', start)
  const end = hash === -1 ? url.length : hash
  const query = url.indexOf('?', start)
  if (query === -1 || query > end) return { pathname: url.slice(start, end), search: '' }
  return { pathname: url.slice(start, query), search: query + 1 === end ? '' : url.slice(query, end) }
}

/** How a database is connected to: one of this machine without TLS, unless its address asks for it. node-postgres would take PGSSLMODE
 *  from the environment, where people keep it for hosted databases. */
export const connectionTo = (url: string): { readonly connectionString: string; readonly ssl?: false } =>
  /^postgres(?:ql)?:\/\/(?:[^@/]*@)?(?:127\.|localhost|\[::1\]|%2F)/i.test(url)
    ? { connectionString: url, ssl: false }
    : { connectionString: url }
