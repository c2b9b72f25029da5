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
