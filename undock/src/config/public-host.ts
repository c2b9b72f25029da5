import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

const ALL_ADDRESSES = ['0.0.0.0', '::', '']
const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

/** Returns the host in a server's URL; for one that listens on all addresses, this machine's network address. */
export function publicHost(host: string): string {
  const name = ALL_ADDRESSES.includes(host) ? (networkAddress() ?? '127.0.0.1') : host
  if (LOOPBACK.includes(name)) return '127.0.0.1'
  return isIPv6(name) ? `[${name}]` : name
}

const networkAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
