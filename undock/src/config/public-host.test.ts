import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { expect, test, vi } from 'vitest'
import { publicHost } from './public-host.ts'

vi.mock('node:os', () => ({ networkInterfaces: vi.fn() }))

const address = (family: string, address: string, internal = false) =>
  ({ family, address, internal }) as NetworkInterfaceInfo
const LAN = {
  lo: [address('IPv4', '127.0.0.1', true)],
  eth0: [address('IPv6', 'fe80::1'), address('IPv4', '192.168.7.20')],
}

test.each([
  ['127.0.0.1', LAN, '127.0.0.1'],
  ['localhost', LAN, '127.0.0.1'],
  ['::1', LAN, '127.0.0.1'],
  ['192.168.7.20', LAN, '192.168.7.20'],
  ['fe80::1', LAN, '[fe80::1]'],
  ['box.local', LAN, 'box.local'],
  ['0.0.0.0', LAN, '192.168.7.20'],
  ['::', LAN, '192.168.7.20'],
  ['0.0.0.0', { lo: LAN.lo }, '127.0.0.1'],
])('a server that listens on %s in %o is reached at %s', (host, interfaces, expected) => {
  vi.mocked(networkInterfaces).mockReturnValue({ ...interfaces })
  expect(publicHost(host)).toBe(expected)
})
