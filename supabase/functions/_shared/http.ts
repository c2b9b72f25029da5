import { Buffer } from 'node:buffer'
import { Refusal, refusal } from './errors.ts'

export const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'authorization, x-client-info, apikey, content-type, x-file',
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
}

export const json = (body: unknown, status = 200): Response => Response.json(body, { status, headers: CORS })

/** Wraps a handler: answers CORS preflights, requires POST with a JSON body, and reports errors as `{ code, message,
 *  hint, parameters }`. Unexpected errors are logged without revealing details to the caller. */
export const jsonAction = (
  act: (body: unknown, request: Request) => Promise<unknown>,
): ((request: Request) => Promise<Response>) =>
  action(async (request) => json(await act(await jsonOf(request), request)))

/** Like jsonAction, for a handler that streams its result as server-sent events of JSON. An error after the first event
 *  is sent as an event, `{ type: 'error', … }`. */
export const eventAction = (
  act: (body: unknown, request: Request) => Promise<AsyncIterable<unknown>>,
): ((request: Request) => Promise<Response>) =>
  action(async (request) => {
    const told = await act(await jsonOf(request), request)
    const headers = { ...CORS, 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }
    return new Response(ReadableStream.from(eventsOf(told)).pipeThrough(new TextEncoderStream()), { headers })
  })

async function* eventsOf(told: AsyncIterable<unknown>): AsyncGenerator<string> {
  try {
    for await (const one of told) yield `data: ${JSON.stringify(one)}\n\n`
  } catch (error) {
    console.error(error)
    yield `data: ${JSON.stringify({ type: 'error', ...refusal('unforeseen').body })}\n\n`
  }
}

export const refused = ({ status, body }: Refusal): Response => json(body, status)

/** Like jsonAction, for a handler that reads the body itself. */
export function action(answer: (request: Request) => Promise<Response>): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: CORS })
    if (request.method !== 'POST') return refused(refusal('method_not_allowed'))
    try {
      return await answer(request)
    } catch (error) {
      if (error instanceof Refusal) return refused(error)
      console.error(error)
      return refused(refusal('unforeseen'))
    }
  }
}

/** Bytes. The largest request is an identity provider's metadata. */
const MAX_BODY_BYTES = 2 ** 20

export async function jsonOf(request: Request): Promise<unknown> {
  const text = await limitedText(request.body, MAX_BODY_BYTES)
  if (text === null) throw refusal('body_too_large')
  try {
    return JSON.parse(text)
  } catch {
    throw refusal('body_not_json')
  }
}

/** A schema of zod, which not every function has among its packages. */
type Schema<Input> = { safeParse(body: unknown): { success: true; data: Input } | { success: false } }

/** Checks a request's body. @param usage Says what to send. @throws {Refusal} */
export function inputOf<Input>(schema: Schema<Input>, body: unknown, usage: string): Input {
  const input = schema.safeParse(body)
  if (!input.success) throw refusal('request_invalid', { usage })
  return input.data
}

/** Reads a body. @returns null if it has more than `largest` bytes; the rest isn't read. */
export async function limitedBytes(
  body: ReadableStream<Uint8Array> | null,
  largest: number,
): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.byteLength
    if (size > largest) return null
    pieces.push(piece)
  }
  return pieces.length === 1 && pieces[0] ? pieces[0] : new Uint8Array(Buffer.concat(pieces))
}

export async function limitedText(body: ReadableStream<Uint8Array> | null, largest: number): Promise<string | null> {
  const bytes = await limitedBytes(body, largest)
  return bytes && new TextDecoder().decode(bytes)
}
