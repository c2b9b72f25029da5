import { z } from 'zod'
import { nodeRequestOf } from './node-http.ts'
import { ServiceError } from './service-error.ts'

/** Bytes of a refused body that are read and discarded. */
const MAX_DISCARDED = 512 * 1024 * 1024

/** Thrown for a body larger than its service accepts; each service renders it with its own code and text. */
export class BodyTooLargeError extends ServiceError {
  readonly limit: number
  constructor(limit: number) {
    super('body_too_large', 413, `The request body is longer than ${limit} bytes`)
    this.name = 'BodyTooLargeError'
    this.limit = limit
  }
}

/** Observes a body while its service reads it. */
export type BodyWatcher = { onBytes(bytes: Uint8Array): void; onEnd(): void }

const watchers = new WeakMap<Request, BodyWatcher>()

/** Adds a watcher to a request's body, which can only be read once, by its service. */
export function watchBody(request: Request, watcher: BodyWatcher): void {
  const other = watchers.get(request)
  watchers.set(
    request,
    other
      ? {
          onBytes(bytes) {
            other.onBytes(bytes)
            watcher.onBytes(bytes)
          },
          onEnd() {
            other.onEnd()
            watcher.onEnd()
          },
        }
      : watcher,
  )
}

/** Returns a request's Content-Length in bytes, or null. */
export function declaredLength(request: Request): number | null {
  const header = request.headers.get('content-length')
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null
}

/** Yields a body's bytes as they arrive. Refuses a body that announces more than `limit`, or sends more.
 *  @throws {BodyTooLargeError} after discarding the rest. */
export async function* limitedBytesOf(request: Request, limit: number): AsyncGenerator<Uint8Array> {
  if ((declaredLength(request) ?? 0) > limit) {
    await discardBody(request)
    throw new BodyTooLargeError(limit)
  }
  let length = 0
  for await (const bytes of bytesOf(request)) {
    length += bytes.byteLength
    if (length > limit) throw new BodyTooLargeError(limit)
    yield bytes
  }
}

/** Reads a whole body of at most `limit` bytes. @throws {BodyTooLargeError} */
export async function readBody(request: Request, limit: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const bytes of limitedBytesOf(request, limit)) parts.push(bytes)
  return Buffer.concat(parts)
}

/** Reads a whole body of a checked length. Not by `request.body`, for which the server builds a Request with a stream. */
export async function readCheckedBody(request: Request): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  const watcher = watchers.get(request)
  watcher?.onBytes(bytes)
  watcher?.onEnd()
  return bytes
}

/** Reads a whole stream; null if it exceeds the limit, without reading the rest. */
export async function readBytes(stream: ReadableStream<Uint8Array>, limit: number): Promise<Buffer | null> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const bytes of stream) {
    length += bytes.byteLength
    if (length > limit) return null
    parts.push(bytes)
  }
  return Buffer.concat(parts)
}

/** Yields a request body's bytes as they arrive, from the first read on. If a consumer stops early, the rest is
 *  discarded first: a client that's still sending would report a closed connection as a network failure. */
export async function* bytesOf(request: Request): AsyncGenerator<Uint8Array> {
  const source = sourceOf(request)
  if (!source) return
  const watcher = watchers.get(request)
  let ended = false
  try {
    for (;;) {
      const { done, value } = await source.next()
      ended = done === true
      if (done) {
        watcher?.onEnd()
        return
      }
      watcher?.onBytes(value)
      yield value
    }
  } finally {
    if (!ended) await discard(source)
  }
}

/** Discards the body of a request refused before reading it. */
export async function discardBody(request: Request): Promise<void> {
  const source = sourceOf(request)
  if (source) await discard(source)
}

type Source = { next(): Promise<IteratorResult<Uint8Array>>; cancel(): void }

/** The body to read, unless there's none or it's already being read. */
function sourceOf(request: Request): Source | null {
  const incoming = nodeRequestOf(request)
  if (incoming) {
    if (incoming.readableDidRead || incoming.destroyed) return null
    const iterator = incoming.iterator({ destroyOnReturn: false })
    return { next: () => iterator.next(), cancel: () => incoming.destroy() }
  }
  if (!request.body || request.bodyUsed || request.body.locked) return null
  const reader = request.body.getReader()
  return {
    next: async () => {
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done: false, value }
    },
    cancel: () => void reader.cancel().catch(() => undefined),
  }
}

async function discard(source: Source): Promise<void> {
  try {
    for (let discarded = 0; discarded < MAX_DISCARDED; ) {
      const { done, value } = await source.next()
      if (done) return
      discarded += value.byteLength
    }
    source.cancel()
  } catch {}
}

/** Reads a JSON body by its schema; no body counts as an empty object.
 *  @param limit Bytes; 1 MiB by default. @throws {ServiceError} 400, 413 */
export async function readJsonBody<T>(request: Request, schema: z.ZodType<T>, limit = 1024 * 1024): Promise<T> {
  return parseJson((await readBody(request, limit)).toString(), schema)
}

/** Parses a part of a request by its schema. @throws {ServiceError} 400 */
export function parseJson<T>(text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(text === '' ? {} : JSON.parse(text))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON'
    throw new ServiceError('invalid_body', 400, `The request body cannot be used: ${reason}`)
  }
}
