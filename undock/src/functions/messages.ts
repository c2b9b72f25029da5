import { z } from 'zod'

const id = z.number()

/** Messages from the program in Deno to this process (deno/main.js). */
export const DenoMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('listening'), id, port: z.number() }),
  z.object({ type: z.literal('failed'), id, error: z.string() }),
  z.object({ type: z.literal('crashed'), id, error: z.string() }),
  z.object({ type: z.literal('stopped'), id }),
  /** Processor time that the worker has used so far, in milliseconds. */
  z.object({ type: z.literal('pong'), id, processorTime: z.number() }),
  /** The worker used more memory than it may, and is being ended. */
  z.object({ type: z.literal('exhausted'), id }),
  /** The function called another server; `began` counts from the epoch, both times are milliseconds. */
  z.object({
    type: z.literal('called'),
    id,
    request: z.string(),
    method: z.string(),
    url: z.string(),
    status: z.number().nullable(),
    error: z.string().nullable(),
    began: z.number(),
    duration: z.number(),
  }),
  z.object({ type: z.literal('log'), id, level: z.enum(['debug', 'info', 'warn', 'error']), text: z.string() }),
])
export type DenoMessage = z.infer<typeof DenoMessage>
/** A request that a function made to another server while it answered one. */
export type FunctionCall = Omit<Extract<DenoMessage, { type: 'called' }>, 'type' | 'id'>
/** Commands that concern one worker. */
export type WorkerEvent = Exclude<DenoMessage, { type: 'ready' }>

export type Command =
  | {
      readonly type: 'start'
      readonly id: number
      readonly name: string
      /** A file URL. */
      readonly entrypoint: string
      /** Variables of this worker only, which override those of the process. */
      readonly variables: Readonly<Record<string, string>>
      /** Variables of the process that functions must not see. */
      readonly hidden: readonly string[]
      /** Bytes. */
      readonly memory: number
    }
  | { readonly type: 'ping' | 'kill'; readonly id: number }
  | { readonly type: 'unload'; readonly id: number; readonly reason: string }

/** Begins every line of the protocol and distinguishes it from the output of functions. */
export const MESSAGE_PREFIX = '\u001e'
