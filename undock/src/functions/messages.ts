import { z } from 'zod'

/** Messages from the Deno programs (deno/worker.js, deno/embedder.js). */
const DenoMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('listening'), port: z.number() }),
  /** The function's last server closed, so nothing answers. */
  z.object({ type: z.literal('closed') }),
  z.object({ type: z.literal('crashed'), error: z.string() }),
  /** `beforeunload` was handled and the background tasks are done. */
  z.object({ type: z.literal('unloaded') }),
  /** Processor time used so far, in milliseconds. */
  z.object({ type: z.literal('pong'), processorTime: z.number() }),
  /** Live bytes on the heap and in buffers. */
  z.object({ type: z.literal('weighed'), bytes: z.number() }),
  /** A call to another server; times in milliseconds, `began` since the epoch. */
  z.object({
    type: z.literal('called'),
    request: z.string(),
    method: z.string(),
    url: z.string(),
    status: z.number().nullable(),
    error: z.string().nullable(),
    began: z.number(),
    duration: z.number(),
  }),
  z.object({ type: z.literal('log'), level: z.enum(['debug', 'info', 'warn', 'error']), text: z.string() }),
  z.object({ type: z.literal('embed'), number: z.number(), question: z.record(z.string(), z.unknown()) }),
  z.object({
    type: z.literal('embedded'),
    number: z.number(),
    output: z.unknown().optional(),
    error: z.string().optional(),
  }),
])
export type DenoMessage = z.infer<typeof DenoMessage>
/** A request a function made to another server while answering one. */
export type FunctionCall = Omit<Extract<DenoMessage, { type: 'called' }>, 'type'>
export type Embedded = Omit<Extract<DenoMessage, { type: 'embedded' }>, 'type' | 'number'>

/** Starts every protocol line, to distinguish it from functions' output. */
export const MESSAGE_PREFIX = '\u001e'

/** Parses a message. Returns null for other text, since functions can write to the same stream. */
export function readMessage(text: string): DenoMessage | null {
  try {
    return DenoMessage.parse(JSON.parse(text))
  } catch {
    return null
  }
}
