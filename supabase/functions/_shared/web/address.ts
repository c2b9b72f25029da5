import { BlockList, isIP, isIPv6 } from 'node:net'

/** Non-public IPv4 ranges (IANA's registry of special-purpose addresses). */
const SPECIAL_4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24',
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
]
/** In IPv6 only global unicast addresses are public, except these tunnels and reserved ranges. */
const GLOBAL_6 = ['2000::/3']
const SPECIAL_6 = ['2001::/23 2001:db8::/32 2002::/16 3fff::/20']

const special4 = listOf(SPECIAL_4, 'ipv4')
const global6 = listOf(GLOBAL_6, 'ipv6')
const special6 = listOf(SPECIAL_6, 'ipv6')

function listOf(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const subnet of subnets.flatMap((line) => line.split(' '))) {
    const [network = '', bits] = subnet.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

/** Whether an IP address is on the public internet, not this machine, its network or a cloud's metadata service. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  if (isIPv6(plain)) return global6.check(plain, 'ipv6') && !special6.check(plain, 'ipv6')
  return isIP(plain) === 4 && !special4.check(plain, 'ipv4')
}
