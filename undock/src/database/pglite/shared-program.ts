/** The most pages of 64 KiB that PGlite's memory grows to: 2 GiB. */
const MAX_PAGES = 32_768

const MAGIC_LENGTH = 8
const IMPORT_SECTION = 2
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0, 1, 2, 3]
const HAS_MAXIMUM = 1
const SHARED = 2

/** Makes engines that this thread opens afterwards keep their memory in a SharedArrayBuffer, so that the main thread can interrupt
 *  a statement that runs (statement-interrupts.ts). PGlite has no option for that: it creates the memory itself, and
 *  its program and the libraries of extensions declare it as not shared. */
export function shareEngineMemory(): void {
  const { Memory, Module, instantiate } = WebAssembly
  WebAssembly.Memory = new Proxy(Memory, {
    construct: (target, [descriptor]: [WebAssembly.MemoryDescriptor]) => new target({ ...descriptor, shared: true }),
  })
  WebAssembly.Module = new Proxy(Module, {
    construct: (target, [bytes]: [BufferSource]) => new target(declareShared(bytes)),
  })
  const instantiateShared = (program: BufferSource | WebAssembly.Module, imports?: WebAssembly.Imports) =>
    program instanceof Module
      ? instantiate(program, withoutTimer(imports))
      : instantiate(declareShared(program), withoutTimer(imports))
  WebAssembly.instantiate = instantiateShared as typeof instantiate
}

/** Without Emscripten's timer: it would run Postgres' handlers between two exchanges only, where a transaction_timeout ends the
 *  engine. */
function withoutTimer(imports: WebAssembly.Imports = {}): WebAssembly.Imports {
  if (imports.env && '_setitimer_js' in imports.env) imports.env._setitimer_js = () => 0
  return imports
}

/** Changes a program, or a library, to import a shared memory.
 *  @returns the same bytes when it imports none. */
export function declareShared(source: BufferSource): Uint8Array<ArrayBuffer> {
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer as ArrayBuffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)
  for (let at = MAGIC_LENGTH; at < bytes.length; ) {
    const size = readNumber(bytes, at + 1)
    const end = size.end + size.value
    if (bytes[at] === IMPORT_SECTION) {
      const imports = withSharedMemory(bytes.subarray(size.end, end))
      if (!imports) return bytes
      const head = Buffer.from([IMPORT_SECTION, ...encodeNumber(imports.length)])
      return Buffer.concat([bytes.subarray(0, at), head, imports, bytes.subarray(end)])
    }
    at = end
  }
  return bytes
}

/** @param section The imports: their number, and for each two names, its kind and its type. */
function withSharedMemory(section: Uint8Array): Uint8Array | null {
  let { value: left, end: at } = readNumber(section, 0)
  const skipNumber = () => {
    at = readNumber(section, at).end
  }
  const skipName = () => {
    const length = readNumber(section, at)
    at = length.end + length.value
  }
  for (; left > 0; left--) {
    skipName()
    skipName()
    const kind = section[at++]
    if (kind === FUNCTION) skipNumber()
    else if (kind === GLOBAL) at += 2
    else if (kind === TABLE || kind === MEMORY) {
      if (kind === TABLE) at += 1
      const start = at
      const flags = section[at++] ?? 0
      const minimum = readNumber(section, at)
      at = minimum.end
      if (flags & HAS_MAXIMUM) skipNumber()
      if (kind === TABLE) continue
      const limits = Buffer.from([HAS_MAXIMUM | SHARED, ...encodeNumber(minimum.value), ...encodeNumber(MAX_PAGES)])
      return Buffer.concat([section.subarray(0, start), limits, section.subarray(at)])
    } else throw new Error(`The program imports something of the unknown kind ${kind}`)
  }
  return null
}

/** Reads a number in LEB128. */
function readNumber(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return { value: value >>> 0, end: at }
  }
}

function encodeNumber(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...encodeNumber(value >>> 7)]
}
