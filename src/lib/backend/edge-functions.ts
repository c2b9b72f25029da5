import { FunctionsFetchError, FunctionsHttpError, FunctionsRelayError } from '@supabase/supabase-js'
import * as z from 'zod/mini'
import { EdgeFunctionError } from './edge-function-error.ts'
import { supabase } from './supabase.ts'

const BAD_GATEWAY = 502

const Refused = z.looseObject({ message: z.optional(z.string()), code: z.optional(z.string()) })

/** Calls an edge function and validates its response.
 *  @throws {EdgeFunctionError} if the function refuses or its response is invalid, {TypeError} if it can't be reached. */
export async function invoke<Answer>(name: string, body: object, answer: z.ZodMiniType<Answer>): Promise<Answer> {
  const { data, error } = await supabase.functions.invoke(name, { body })
  if (error) throw await toEdgeFunctionError(error)
  const answered = z.safeParse(answer, data)
  if (!answered.success)
    throw new EdgeFunctionError(BAD_GATEWAY, { message: 'The function answered in an unexpected form.' })
  return answered.data
}

/** Fetches a function's setup, its response to GET. @returns null if the backend doesn't have the function. */
export async function setUp<Answer>(name: string, answer: z.ZodMiniType<Answer>): Promise<Answer | null> {
  const { data, error } = await supabase.functions.invoke(name, { method: 'GET' })
  if (!error) return z.parse(answer, data)
  const failure = await toEdgeFunctionError(error)
  if (failure instanceof EdgeFunctionError && !failure.didRun) return null
  throw failure
}

export async function toEdgeFunctionError(error: unknown): Promise<unknown> {
  if (error instanceof FunctionsFetchError) return new TypeError('Failed to fetch', { cause: error })
  // The client couldn't parse the response.
  if (error instanceof SyntaxError) return new EdgeFunctionError(BAD_GATEWAY, error)
  const didRun = !(error instanceof FunctionsRelayError)
  if (didRun && !(error instanceof FunctionsHttpError)) return error
  const response: Response = error.context
  // For a missing function, the server responds with NOT_FOUND or without JSON.
  const body = z.catch(Refused, { code: 'NOT_FOUND' }).parse(await response.json().catch(() => null))
  const { message = response.statusText, code } = body
  return new EdgeFunctionError(response.status, { ...body, message }, didRun && code !== 'NOT_FOUND')
}
