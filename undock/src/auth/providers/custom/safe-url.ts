import { BlockList, isIP } from 'node:net'
import type { AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'

/** Private and reserved addresses, which providers' URLs must not reach through this server. */
const BLOCKED: readonly [reason: string, ranges: readonly string[]][] = [
  ['loopback addresses', ['127.0.0.0/8', '::1/128']],
  ['private network addresses', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
  ['link-local addresses', ['169.254.0.0/16', 'fe80::/10', '224.0.0.0/24', 'ff02::/16']],
  ['multicast addresses', ['224.0.0.0/4', 'ff00::/8']],
  ['unspecified addresses', ['0.0.0.0/32', '::/128']],
]

const LISTS = BLOCKED.map(([reason, ranges]) => {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/')
    list.addSubnet(network, Number(prefix), isIP(network) === 6 ? 'ipv6' : 'ipv4')
  }
  return { reason, list }
})

/** @throws `validation_failed` unless the URL uses HTTPS and leads to a public address
 *  @see supabase/auth internal/utilities/url_validator.go */
export async function checkPublicUrl({ lookup }: Pick<AuthDeps, 'lookup'>, text: string): Promise<void> {
  const refused = (why: string) => authError('customProviderInvalid', [why])
  const url = URL.parse(text)
  if (!url) throw refused('Invalid URL format')
  if (url.protocol !== 'https:') throw refused('URL must use HTTPS')
  if (text.length > 2048) throw refused('URL cannot exceed 2048 characters')
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (/^(.+\.)?localhost$/.test(host) || ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)) {
    throw refused('URL cannot point to localhost or loopback addresses')
  }
  const addresses = isIP(host) ? [host] : await resolve(lookup, host)
  if (addresses?.length === 0) throw refused('Unable to resolve hostname')
  for (const address of addresses ?? []) {
    const reason = blockedAs(address)
    if (reason) throw refused(`URL cannot resolve to ${reason}`)
  }
}

/** @returns null without a network: providers can be set up offline, and no address is contacted */
async function resolve(lookup: AuthDeps['lookup'], host: string): Promise<string[] | null> {
  try {
    return await lookup(host)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAI_AGAIN' ? null : []
  }
}

export function blockedAs(address: string): string | null {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  return LISTS.find(({ list }) => list.check(address, family))?.reason ?? null
}
