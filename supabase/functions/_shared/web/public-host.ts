import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { RequestOptions } from 'node:http'
import { isIP } from 'node:net'
import { isPublicAddress } from './address.ts'

export type HostDeps = {
  readonly resolve: (host: string) => Promise<LookupAddress[]>
  readonly isAllowed: (address: string) => boolean
  /** `host:port` pairs that may be contacted although they are not public: a team's own servers. */
  readonly allowedHosts: ReadonlySet<string>
}

export const hostDeps = (allowedHosts: string | undefined): HostDeps => ({
  resolve: resolveHost,
  isAllowed: isPublicAddress,
  allowedHosts: new Set((allowedHosts ?? '').split(/[\s,]+/).filter(Boolean)),
})

function resolveHost(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
}

/** The port of an address, also where it is that of its protocol. */
export const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80')

export const isAllowedHost = (url: URL, { allowedHosts }: HostDeps): boolean =>
  allowedHosts.has(`${url.hostname}:${portOf(url)}`)

/** Finds where the host of an address is.
 *  @returns 'unknown' when its name leads nowhere, and 'private' when it leads into a private network or to this machine. */
export async function findHost(url: URL, deps: HostDeps): Promise<LookupAddress | 'unknown' | 'private'> {
  const literal = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(literal)
  const addresses = family ? [{ address: literal, family }] : await deps.resolve(url.hostname).catch(() => [])
  const [first] = addresses
  if (!first) return 'unknown'
  // One private address among public ones is enough to refuse: we cannot control which of them is used.
  return isAllowedHost(url, deps) || addresses.every(({ address }) => deps.isAllowed(address)) ? first : 'private'
}

/** Options of a request that connect it to this address. The name is not resolved a second time: its owner could return another
 *  address. */
export const connectedTo = (target: LookupAddress): Pick<RequestOptions, 'lookup' | 'agent'> => ({
  lookup: (_host, options, callback) => {
    if (typeof options === 'object' && options.all) callback(null, [target])
    else callback(null, target.address, target.family)
  },
  agent: false,
})
