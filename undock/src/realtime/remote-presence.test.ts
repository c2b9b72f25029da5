import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Bus, NodeEvent } from '../kernel/bus.ts'
import { Presence } from './presence.ts'
import { followPresence, publishPresence } from './remote-presence.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** One end of a bus between two nodes; drops messages while cut. */
class LossyBus implements Bus {
  readonly isAlone = false
  readonly node: string
  other: LossyBus | null = null
  isCut = false
  receive: (message: Buffer, node: string) => void = () => undefined
  tell: (node: string, event: NodeEvent) => void = () => undefined

  constructor(node: string) {
    this.node = node
  }

  publish(_topic: string, message: Buffer): void {
    if (!this.isCut) this.other?.receive(message, this.node)
  }

  subscribe(_topic: string, handler: (message: Buffer, node: string) => void) {
    this.receive = handler
    return () => undefined
  }

  onNode(handler: (node: string, event: NodeEvent) => void) {
    this.tell = handler
    return () => undefined
  }

  async close(): Promise<void> {}
}

function startNode(node: string) {
  const bus = new LossyBus(node)
  const presence: Presence = new Presence({
    onDiff: () => undefined,
    onOwnChange: (topic, change) => publishPresence(bus, topic, change),
  })
  return { bus, presence, stop: followPresence(bus, presence) }
}

function startPair() {
  const [near, far] = [startNode('near'), startNode('far')]
  near.bus.other = far.bus
  far.bus.other = near.bus
  return [near, far] as const
}

test.each(['near', 'far'])('requests the state again if a message from %s was lost', async (cut) => {
  const [near, far] = startPair()
  far.bus.isCut = true
  far.presence.track('room', {}, 'ada', {})
  await vi.advanceTimersByTimeAsync(100)
  expect(near.presence.state('room')).toEqual({})

  near.bus.isCut = cut === 'near'
  far.bus.isCut = cut === 'far'
  near.bus.tell('far', 'gap')
  await vi.advanceTimersByTimeAsync(900)
  near.bus.isCut = false
  far.bus.isCut = false
  await vi.advanceTimersByTimeAsync(2_000)
  expect(Object.keys(near.presence.state('room'))).toEqual(['ada'])
  expect(vi.getTimerCount()).toBe(0)
})

test('stops requesting the state of a node that left', async () => {
  const [near, far] = startPair()
  far.bus.isCut = true
  near.bus.tell('far', 'here')
  near.bus.tell('far', 'gone')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(vi.getTimerCount()).toBe(0)
  near.stop()
  far.stop()
})
