import { randomUUID } from 'node:crypto'
import type { Bus, NodeEvent } from '../kernel/bus.ts'
import type { Log } from '../kernel/service.ts'
import { type BusMessage, type Envelope, EnvelopeSeal } from './envelope.ts'

/** Transports sealed envelopes to all nodes, including the sender. */
export type Carrier = {
  /** Messages of one tick share an envelope up to this many bytes. */
  readonly comfortableBytes: number
  /** Resolves once the envelopes are sent, in order. */
  send(envelopes: readonly Buffer[]): Promise<void>
  close(): Promise<void>
}

/** Milliseconds between heartbeats. */
const BEAT = 1_000
/** Milliseconds of silence after which a node counts as gone. A node that doesn't receive its own messages for as long
 *  is cut off. */
const SILENCE = 5_000
/** Milliseconds of clock skew and transit allowed; older envelopes are treated as replayed. */
const MAX_AGE_MS = 60_000
/** Milliseconds to remember the last sequence number of a departed node: longer than its envelopes stay valid. */
const MEMORY = 2 * MAX_AGE_MS + SILENCE
/** Bytes queued while the carrier is unavailable; later messages are dropped. */
const BACKLOG = 16 * 1024 * 1024
/** Bytes reserved for an envelope's header. */
const HEAD_BYTES = 200

type Peer = { sequence: number; heardAt: number; isHere: boolean }

type SharedBusOptions = {
  /** 32 bytes, known only to the project's nodes. */
  readonly key: Buffer
  readonly log: Log
  /** Opens the carrier. @param receive Called with each envelope, in order. */
  open(receive: (envelope: Buffer) => void): Promise<Carrier>
}

/** Opens a bus between several nodes. Every process gets a new node id. */
export async function openSharedBus({ key, log, open }: SharedBusOptions): Promise<Bus> {
  const node = randomUUID()
  const seal = new EnvelopeSeal(key)
  const peers = new Map<string, Peer>()
  const topics = new Map<string, Set<(message: Buffer, node: string) => void>>()
  const nodeHandlers = new Set<(node: string, event: NodeEvent) => void>()
  let sequence = 0
  let heardItselfAt = performance.now()
  let isCutOff = false
  let waiting: BusMessage[] = []
  let waitingBytes = 0
  let hasDropped = false
  let isGreeting = true
  let isClosing = false
  let sending: Promise<void> | null = null

  const tell = (other: string, event: NodeEvent): void => {
    for (const handler of nodeHandlers) handler(other, event)
  }

  function receive(bytes: Buffer): void {
    const envelope = seal.open(bytes)
    if (!envelope) return
    const now = performance.now()
    if (envelope.node === node) {
      hearItself(now)
      return
    }
    if (Math.abs(Date.now() - envelope.sentAt) > MAX_AGE_MS) return
    const peer = peers.get(envelope.node)
    if (peer && envelope.sequence <= peer.sequence) return
    if (envelope.kind === 'bye') {
      peers.set(envelope.node, { sequence: envelope.sequence, heardAt: now, isHere: false })
      if (peer?.isHere) tell(envelope.node, 'gone')
      return
    }
    peers.set(envelope.node, { sequence: envelope.sequence, heardAt: now, isHere: true })
    if (!peer?.isHere) {
      tell(envelope.node, 'here')
      // Lets a new node learn about this one without waiting for a heartbeat.
      if (envelope.kind === 'hello') schedule()
    } else if (envelope.sequence !== peer.sequence + 1) tell(envelope.node, 'gap')
    deliver(envelope)
  }

  function deliver({ node: sender, messages }: Envelope): void {
    for (const { topic, body } of messages)
      for (const handler of topics.get(topic) ?? []) {
        try {
          handler(body, sender)
        } catch (error) {
          log.error('A message of another node could not be read', error, { topic, node: sender })
        }
      }
  }

  function hearItself(now: number): void {
    if (isCutOff) log.info('The bus between the nodes works again', { seconds: secondsSince(heardItselfAt, now) })
    isCutOff = false
    heardItselfAt = now
  }

  let beatAt = performance.now()
  function beat(): void {
    const now = performance.now()
    // Other nodes' silence doesn't count while this process was suspended.
    const stoodStill = now - beatAt - BEAT
    beatAt = now
    if (stoodStill > BEAT) {
      heardItselfAt += stoodStill
      for (const peer of peers.values()) peer.heardAt += stoodStill
    }
    for (const [other, peer] of peers) {
      const silence = now - peer.heardAt
      if (peer.isHere && silence > SILENCE) {
        peer.isHere = false
        tell(other, 'gone')
      } else if (silence > MEMORY) {
        peers.delete(other)
        seal.forget(other)
      }
    }
    if (!isCutOff && now - heardItselfAt > SILENCE) {
      isCutOff = true
      log.warn('The bus between the nodes is interrupted: other nodes get no broadcasts and no presence of this one')
    }
    schedule()
  }

  /** Sends the queued messages at the end of the tick, or a bare heartbeat. */
  function schedule(): void {
    sending ??= new Promise<void>((resolve) => setImmediate(resolve)).then(flush).finally(() => {
      sending = null
      if (waiting.length > 0) schedule()
    })
  }

  async function flush(): Promise<void> {
    const messages = waiting
    waiting = []
    waitingBytes = 0
    const kind = isGreeting ? 'hello' : isClosing ? 'bye' : 'messages'
    const groups = groupBySize(messages, carrier.comfortableBytes - HEAD_BYTES)
    const sealed = groups.map((group, index) => {
      sequence += 1
      const isLast = index === groups.length - 1
      // The greeting goes out first, the goodbye last.
      const own = kind === 'bye' ? isLast : index === 0
      return seal.seal({ node, sequence, kind: own ? kind : 'messages', sentAt: Date.now(), messages: group })
    })
    try {
      await carrier.send(sealed)
      isGreeting = false
      hasDropped = false
    } catch (error) {
      if (!hasDropped) log.error('The bus between the nodes took no message', error)
      hasDropped = true
    }
  }

  const carrier = await open(receive)
  const timer = setInterval(beat, BEAT).unref()
  schedule()

  return {
    node,
    isAlone: false,
    publish(topic, message) {
      if (waitingBytes + message.length > BACKLOG && waiting.length > 0) {
        if (!hasDropped) log.error('The bus between the nodes is too slow and drops messages', null)
        hasDropped = true
        return
      }
      waiting.push({ topic, body: message })
      waitingBytes += message.length
      schedule()
    },
    subscribe(topic, handler) {
      const handlers = topics.get(topic) ?? new Set()
      topics.set(topic, handlers.add(handler))
      return () => handlers.delete(handler)
    },
    onNode(handler) {
      nodeHandlers.add(handler)
      for (const [other, { isHere }] of peers) if (isHere) handler(other, 'here')
      return () => nodeHandlers.delete(handler)
    },
    async close() {
      clearInterval(timer)
      await sending
      isClosing = true
      schedule()
      await sending
      await carrier.close()
    },
  }
}

const secondsSince = (then: number, now: number): number => Math.round((now - then) / 100) / 10

/** Splits messages into groups of at most `most` bytes; an oversized one is alone. Returns at least one group, possibly
 *  empty. */
function groupBySize(messages: readonly BusMessage[], most: number): BusMessage[][] {
  const groups: BusMessage[][] = [[]]
  let bytes = 0
  for (const message of messages) {
    const size = message.body.length + Buffer.byteLength(message.topic) + 16
    if (bytes > 0 && bytes + size > most) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(message)
    bytes += size
  }
  return groups
}
