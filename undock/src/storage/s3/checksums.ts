import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { storageError } from '../errors.ts'

type Running = { update(bytes: Uint8Array): void; digest(): string }

const hash = (name: string, encoding: 'base64' | 'hex') => (): Running => {
  const state = createHash(name)
  return { update: (bytes) => void state.update(bytes), digest: () => state.digest(encoding) }
}

function crc(): Running {
  let value = 0
  const digest = () => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes.toString('base64')
  }
  return {
    update: (bytes) => {
      value = crc32(bytes, value)
    },
    digest,
  }
}

/** What Node can compute; other checksums (CRC32C, CRC64NVME) aren't verified. */
const ALGORITHMS: Readonly<Record<string, () => Running>> = {
  'content-md5': hash('md5', 'base64'),
  'x-amz-checksum-crc32': crc,
  'x-amz-checksum-sha1': hash('sha1', 'base64'),
  'x-amz-checksum-sha256': hash('sha256', 'base64'),
}

export class Checksums {
  readonly #running = new Map<string, Running>()
  readonly #expected = new Map<string, string>()

  constructor(headers: Headers, announced: readonly string[], contentHash: string | undefined) {
    for (const [name, start] of Object.entries(ALGORITHMS)) {
      const given = headers.get(name)
      if (given !== null) this.#expected.set(name, given)
      if (given !== null || announced.includes(name)) this.#running.set(name, start())
    }
    if (contentHash !== undefined && /^[0-9a-f]{64}$/.test(contentHash)) {
      this.#expected.set('x-amz-content-sha256', contentHash)
      this.#running.set('x-amz-content-sha256', hash('sha256', 'hex')())
    }
  }

  expect(trailer: ReadonlyMap<string, string>): void {
    for (const [name, value] of trailer) this.#expected.set(name, value)
  }

  /** Passes the bytes through. @throws {StorageError} InvalidChecksum after the last one */
  async *check(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const running = [...this.#running.values()]
    for await (const bytes of source) {
      for (const one of running) one.update(bytes)
      yield bytes
    }
    for (const [name, one] of this.#running) {
      const expected = this.#expected.get(name)
      if (expected !== undefined && expected !== one.digest()) {
        throw storageError('InvalidChecksum', { message: `The ${name} you specified did not match what we received` })
      }
    }
  }
}
