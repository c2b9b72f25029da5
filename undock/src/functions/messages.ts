import { z } from 'zod'

/** Messages from the programs in Deno to this process (deno/worker.js, deno/embedder.js). */
const DenoMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('listening'), port: z.number() }),
  /** The last server of the function was closed, so nothing answers any more. */
  z.object({ type: z.literal('closed') }),
  z.object({ type: z.literal('crashed'), error: z.string() }),
  /** `beforeunload` was handled and the background tasks are done. */
  z.object({ type: z.literal('unloaded') }),
  /** Processor time that the worker has used so far, in milliseconds. */
  z.object({ type: z.literal('pong'), processorTime: z.number() }),
  /** Live bytes on the heap and in buffers. */
  z.object({ type: z.literal('weighed'), bytes: z.number() }),
  /** The function called another server; `began` counts from the epoch, both times are milliseconds. */
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
/** A request that a function made to another server while it answered one. */
export type FunctionCall = Omit<Extract<DenoMessage, { type: 'called' }>, 'type'>
export type Embedded = Omit<Extract<DenoMessage, { type: 'embedded' }>, 'type' | 'number'>

/** Begins every line of the protocol and distinguishes it from the output of functions. */
export const MESSAGE_PREFIX = '\u001e'

/** Null for text that is no message: functions can write to the same stream. */
export function readMessage(text: string): DenoMessage | null {
  try {
    return DenoMessage.parse(JSON.parse(text))
  } catch {
    return null
  }
}
