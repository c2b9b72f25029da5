import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './address.ts'

export type HostDeps = {
  readonly resolve: (host: string) => Promise<LookupAddress[]>
  readonly isAllowed: (address: string) => boolean
  /** `host:port` pairs that are allowed although they aren't public: a team's own servers. */
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

/** Returns the port of an address, including the protocol's default. */
export const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80')

export const isAllowedHost = (url: URL, { allowedHosts }: HostDeps): boolean =>
  allowedHosts.has(`${url.hostname}:${portOf(url)}`)

/** Resolves the host of an address.
 *  @returns 'unknown' if the name doesn't resolve, 'private' if it's on this machine or a private network. */
export async function findHost(url: URL, deps: HostDeps): Promise<LookupAddress | 'unknown' | 'private'> {
  const literal = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(literal)
  const addresses = family ? [{ address: literal, family }] : await deps.resolve(url.hostname).catch(() => [])
  const [first] = addresses
  if (!first) return 'unknown'
  // One private address is enough to refuse: we can't control which one is used.
  return isAllowedHost(url, deps) || addresses.every(({ address }) => deps.isAllowed(address)) ? first : 'private'
}

/** Starts a request to a checked IP address. The name isn't resolved again: its owner could return another address. */
export function requestTo(target: LookupAddress, url: URL, method: string, given: OutgoingHttpHeaders) {
  const { promise: answer, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const lookup: LookupFunction = (_host, options, callback) => {
    if (options.all) callback(null, [target])
    else callback(null, target.address, target.family)
  }
  const path = url.pathname + url.search
  const headers = { ...given, host: url.host }
  const options = { hostname: url.hostname, port: portOf(url), path, method, headers, lookup, agent: false }
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(options, resolve).on('error', reject)
  return { request, answer }
}
