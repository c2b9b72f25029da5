import { IncomingMessage } from 'node:http'
import { BlockList, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { clientAddressOf } from './node.ts'

const balancers = new BlockList()
balancers.addSubnet('10.0.0.0', 8, 'ipv4')
balancers.addAddress('fd00::1', 'ipv6')

// biome-ignore format: a table
test.each([
  ['203.0.113.7', [], '203.0.113.7'],
  ['203.0.113.7', ['198.51.100.1'], '203.0.113.7'],
  ['::ffff:10.0.0.1', ['198.51.100.1'], '198.51.100.1'],
  ['10.0.0.1', ['192.0.2.1, 198.51.100.1', '10.0.0.2'], '198.51.100.1'],
  ['fd00::1', ['2001:db8::7'], '2001:db8::7'],
  ['10.0.0.1', ['<script>'], '10.0.0.1'],
  ['10.0.0.1', [''], '10.0.0.1'],
  ['10.0.0.1', [], '10.0.0.1'],
] as const)('from %s with %j, the client is %s', (remote, forwarded, expected) => {
  expect(clientAddressOf(balancers, () => undefined)(requestOf(remote, forwarded))).toBe(expected)
})

test('reports the first untrusted peer that forwards', () => {
  const told: string[] = []
  const addressOf = clientAddressOf(balancers, (peer) => told.push(peer))
  addressOf(requestOf('10.0.0.1', ['198.51.100.1']))
  addressOf(requestOf('127.0.0.1', []))
  expect(told).toEqual([])
  for (const remote of ['::ffff:127.0.0.1', '203.0.113.7']) addressOf(requestOf(remote, ['198.51.100.1']))
  expect(told).toEqual(['127.0.0.1'])
})

function requestOf(remote: string, forwarded: readonly string[]): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remote })
  const request = new IncomingMessage(socket)
  if (forwarded.length > 0) request.headersDistinct = { 'x-forwarded-for': [...forwarded] }
  return request
}
