import { Buffer } from 'node:buffer'
import { Inflate } from 'fflate'
import { Unreadable } from '../errors.ts'
import { decodeDeclared } from './charset.ts'
import { MAX_MARKUP_LENGTH, refuseLong } from './extraction.ts'

export type ZipEntry = {
  readonly name: string
  readonly method: number
  readonly packed: Uint8Array
}

export type ZipLimits = {
  readonly entries: number
  /** Decompressed bytes, of one entry and of all entries read. */
  readonly entry: number
  readonly total: number
}

/** Far more than a thick illustrated book needs; an archive beyond these limits is malicious. */
const LIMITS: ZipLimits = { entries: 10_000, entry: 64 * 2 ** 20, total: 200 * 2 ** 20 }

const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50
const STORED = 0
const DEFLATED = 8
const SLICE = 65_536

const BOMB = 'archive_too_large'
const DAMAGED = 'archive_damaged'

/** A ZIP archive, decompressed on demand. Counts actual bytes, because headers can't be trusted. */
export class Zip {
  readonly entries: ReadonlyMap<string, ZipEntry>
  readonly #limits: ZipLimits
  #byLowerCase: ReadonlyMap<string, ZipEntry> | undefined
  #unpacked = 0
  readonly #characters = new Map<number, number>()

  /** @throws {Unreadable} if it's not an archive, is damaged or has too many entries. */
  constructor(bytes: Uint8Array, limits: ZipLimits = LIMITS) {
    this.#limits = limits
    this.entries = entriesOf(bytes, limits.entries)
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined
  }

  /** Parts of Office files are found whatever the case of their names (ECMA-376, part 2). */
  #find(name: string): ZipEntry | undefined {
    this.#byLowerCase ??= new Map(Array.from(this.entries, ([name, entry]) => [name.toLowerCase(), entry]))
    return this.entries.get(name) ?? this.#byLowerCase.get(name.toLowerCase())
  }

  /** @returns undefined if there is no such entry.
   *  @throws {Unreadable} if a limit is exceeded or the entry is damaged. */
  read(name: string): Uint8Array | undefined {
    const entry = this.#find(name)
    if (!entry) return undefined
    if (entry.method !== STORED && entry.method !== DEFLATED) throw new Unreadable(DAMAGED)
    const chunks: Uint8Array[] = []
    let size = 0
    const take = (chunk: Uint8Array) => {
      size += chunk.length
      this.#unpacked += chunk.length
      if (size > this.#limits.entry || this.#unpacked > this.#limits.total) throw new Unreadable(BOMB)
      chunks.push(chunk)
    }
    if (entry.method === STORED) take(entry.packed)
    else unpack(entry.packed, take)
    return new Uint8Array(Buffer.concat(chunks))
  }

  /** @param most The maximum characters of all texts read with this limit.
   *  @returns undefined if there is no such entry.
   *  @throws {Unreadable} as `read` does, and if the texts are too long. */
  text(name: string, most = MAX_MARKUP_LENGTH): string | undefined {
    const bytes = this.read(name)
    if (!bytes) return undefined
    const text = decodeDeclared(bytes) ?? new TextDecoder().decode(bytes)
    const characters = (this.#characters.get(most) ?? 0) + text.length
    this.#characters.set(most, characters)
    refuseLong(characters, most)
    return text
  }
}

function unpack(packed: Uint8Array, take: (chunk: Uint8Array) => void): void {
  const inflate = new Inflate(take)
  try {
    for (let at = 0; at < packed.length || at === 0; at += SLICE) {
      inflate.push(packed.subarray(at, at + SLICE), at + SLICE >= packed.length)
    }
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable(DAMAGED)
  }
}

function entriesOf(bytes: Uint8Array, most: number): Map<string, ZipEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOf(view)
  const count = view.getUint16(end + 10, true)
  if (count > most) throw new Unreadable(BOMB)
  const entries = new Map<string, ZipEntry>()
  try {
    let at = view.getUint32(end + 16, true)
    for (let n = 0; n < count; n += 1) {
      if (view.getUint32(at, true) !== CENTRAL) throw new Unreadable(DAMAGED)
      const nameLength = view.getUint16(at + 28, true)
      // Some programs for Windows write the separators of its paths.
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)).replaceAll('\\', '/')
      if (view.getUint16(at + 8, true) & 1) {
        throw new Unreadable('archive_protected')
      }
      const size = view.getUint32(at + 20, true)
      const local = view.getUint32(at + 42, true)
      if (view.getUint32(local, true) !== LOCAL) throw new Unreadable(DAMAGED)
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
      if (start + size > bytes.length) throw new Unreadable(DAMAGED)
      const entry = { name, method: view.getUint16(at + 10, true), packed: bytes.subarray(start, start + size) }
      if (!entries.has(name)) entries.set(name, entry)
      at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    }
  } catch (error) {
    // DataView throws a RangeError for an offset beyond the end.
    throw error instanceof Unreadable ? error : new Unreadable(DAMAGED)
  }
  return entries
}

/** The end record is followed only by a comment of at most 65,535 bytes. */
function endOf(view: DataView): number {
  const earliest = Math.max(0, view.byteLength - 22 - 65_535)
  for (let at = view.byteLength - 22; at >= earliest; at -= 1) {
    if (view.getUint32(at, true) === END) return at
  }
  throw new Unreadable(DAMAGED)
}
