import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { z } from 'zod'

/** A node's batch of messages. Sequence numbers start at 1. */
export type Envelope = {
  readonly node: string
  readonly sequence: number
  readonly kind: 'hello' | 'messages' | 'bye'
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  readonly messages: readonly BusMessage[]
}
export type BusMessage = { readonly topic: string; readonly body: Buffer }

const ALGORITHM = 'aes-256-gcm'
const NODE_BYTES = 16
const SEQUENCE_BYTES = 8
const TAG_BYTES = 16
const OVERHEAD = NODE_BYTES + SEQUENCE_BYTES + TAG_BYTES

const Head = z.object({
  kind: z.enum(['hello', 'messages', 'bye']),
  sentAt: z.number(),
  messages: z.array(z.tuple([z.string(), z.int().nonnegative()])),
})

/** Encrypts and signs envelopes: every database role may LISTEN and NOTIFY, but only holders of the key can read or
 *  forge messages. */
export class EnvelopeSeal {
  readonly #clusterKey: Buffer
  readonly #keys = new Map<string, Buffer>()

  /** @param clusterKey 32 bytes, shared by the project's nodes. */
  constructor(clusterKey: Buffer) {
    this.#clusterKey = clusterKey
  }

  /** Encrypts with a per-node key, so its sequence numbers are nonces that never repeat.
   *  @param envelope Its node must be a UUID no earlier process had. */
  seal({ node, sequence, kind, sentAt, messages }: Envelope): Buffer {
    const head = JSON.stringify({ kind, sentAt, messages: messages.map(({ topic, body }) => [topic, body.length]) })
    const address = addressOf(node, sequence)
    const cipher = createCipheriv(ALGORITHM, this.#keyOf(node), nonceOf(address)).setAAD(address)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.byteLength(head))
    const parts = [length, Buffer.from(head), ...messages.map(({ body }) => body)].map((part) => cipher.update(part))
    cipher.final()
    return Buffer.concat([address, cipher.getAuthTag(), ...parts])
  }

  /** @returns null unless a node with the same key sealed it. */
  open(bytes: Buffer): Envelope | null {
    if (bytes.length < OVERHEAD) return null
    const address = bytes.subarray(0, NODE_BYTES + SEQUENCE_BYTES)
    const node = formatNode(address.subarray(0, NODE_BYTES))
    const key = this.#keyOf(node)
    const decipher = createDecipheriv(ALGORITHM, key, nonceOf(address), { authTagLength: TAG_BYTES })
    decipher.setAAD(address).setAuthTag(bytes.subarray(NODE_BYTES + SEQUENCE_BYTES, OVERHEAD))
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(OVERHEAD)), decipher.final()])
      this.#keys.set(node, key)
      return { node, sequence: Number(address.readBigUInt64BE(NODE_BYTES)), ...readText(text) }
    } catch {
      return null
    }
  }

  forget(node: string): void {
    this.#keys.delete(node)
  }

  /** Cached only for nodes that have proved they hold the cluster's key. */
  #keyOf(node: string): Buffer {
    return this.#keys.get(node) ?? Buffer.from(hkdfSync('sha256', this.#clusterKey, node, 'undock bus', 32))
  }
}

/** The unencrypted header: the node's id and the sequence number. */
function addressOf(node: string, sequence: number): Buffer {
  const address = Buffer.alloc(NODE_BYTES + SEQUENCE_BYTES)
  address.write(node.replaceAll('-', ''), 'hex')
  address.writeBigUInt64BE(BigInt(sequence), NODE_BYTES)
  return address
}

const nonceOf = (address: Buffer): Buffer => Buffer.concat([Buffer.alloc(4), address.subarray(NODE_BYTES)])

const formatNode = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

function readText(text: Buffer): Pick<Envelope, 'kind' | 'sentAt' | 'messages'> {
  const headEnd = 4 + text.readUInt32BE(0)
  const { kind, sentAt, messages } = Head.parse(JSON.parse(text.toString('utf8', 4, headEnd)))
  let at = headEnd
  return {
    kind,
    sentAt,
    messages: messages.map(([topic, length]) => {
      const body = text.subarray(at, at + length)
      at += length
      return { topic, body }
    }),
  }
}
