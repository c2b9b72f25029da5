import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

const EVERYWHERE = ['0.0.0.0', '::', '']
const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

/** The name under which a server is reached that listens on `host`, as it stands in a URL: this machine's address in its
 *  network where it listens everywhere. */
export function publicHost(host: string): string {
  const name = EVERYWHERE.includes(host) ? (networkAddress() ?? '127.0.0.1') : host
  if (LOOPBACK.includes(name)) return '127.0.0.1'
  return isIPv6(name) ? `[${name}]` : name
}

const networkAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
