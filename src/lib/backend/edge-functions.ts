import { FunctionsFetchError, FunctionsHttpError, FunctionsRelayError } from '@supabase/supabase-js'
import * as z from 'zod/mini'
import { EdgeFunctionError } from './edge-function-error.ts'
import { supabase } from './supabase.ts'

const BAD_GATEWAY = 502

const Refused = z.looseObject({ message: z.optional(z.string()), code: z.optional(z.string()) })

/** Calls an edge function and checks what it answers.
 *  @throws {EdgeFunctionError} when the function refused or its answer has an unexpected form,
 *  {TypeError} when it could not be reached. */
export async function invoke<Answer>(name: string, body: object, answer: z.ZodMiniType<Answer>): Promise<Answer> {
  const { data, error } = await supabase.functions.invoke(name, { body })
  if (error) throw await toEdgeFunctionError(error)
  const answered = z.safeParse(answer, data)
  if (!answered.success)
    throw new EdgeFunctionError(BAD_GATEWAY, { message: 'The function answered in an unexpected form.' })
  return answered.data
}

/** What a function answers to GET: how this server is set up for what the function does.
 *  @returns null where the backend does not have the function. */
export async function setUp<Answer>(name: string, answer: z.ZodMiniType<Answer>): Promise<Answer | null> {
  const { data, error } = await supabase.functions.invoke(name, { method: 'GET' })
  if (!error) return z.parse(answer, data)
  const failure = await toEdgeFunctionError(error)
  if (failure instanceof EdgeFunctionError && !failure.didRun) return null
  throw failure
}

/** Turns the client's error into one that carries what the function answered. */
export async function toEdgeFunctionError(error: unknown): Promise<unknown> {
  if (error instanceof FunctionsFetchError) return new TypeError('Failed to fetch', { cause: error })
  // The client could not parse the answer.
  if (error instanceof SyntaxError) return new EdgeFunctionError(BAD_GATEWAY, error)
  const didRun = !(error instanceof FunctionsRelayError)
  if (didRun && !(error instanceof FunctionsHttpError)) return error
  const response: Response = error.context
  // Of a function that it does not have, the server says NOT_FOUND or no JSON at all.
  const body = z.catch(Refused, { code: 'NOT_FOUND' }).parse(await response.json().catch(() => null))
  const { message = response.statusText, code } = body
  return new EdgeFunctionError(response.status, { ...body, message }, didRun && code !== 'NOT_FOUND')
}
