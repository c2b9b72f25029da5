import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'

const isIn = (list: BlockList, address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** An IPv4 address that a socket of IPv6 writes in its own way. */
const plain = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, '')

/** The address of the client behind trusted balancers: the last one in `X-Forwarded-For` that is not a balancer's own. What stands
 *  before it was said by the client, who may say anything.
 *  @param onUntrusted Called with the first address that sends the header and is no balancer's. */
export function clientAddressOf(
  trustedProxies: BlockList,
  onUntrusted: (peer: string) => void,
): (request: IncomingMessage) => string {
  let isTold = false
  return ({ socket, headersDistinct }) => {
    const hops = (headersDistinct['x-forwarded-for'] ?? []).flatMap((text) => text.split(',')).map(plain)
    let address = plain(socket.remoteAddress ?? '')
    if (!isTold && hops.length > 0 && !isIn(trustedProxies, address)) {
      isTold = true
      onUntrusted(address)
    }
    while (isIn(trustedProxies, address)) {
      const before = hops.pop()
      if (before === undefined || isIP(before) === 0) break
      address = before
    }
    return address
  }
}
