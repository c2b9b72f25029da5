import { FunctionsFetchError, FunctionsHttpError } from '@supabase/supabase-js'
import * as z from 'zod/mini'
import { Refusal } from './failure.ts'
import { supabase } from './supabase.ts'

const BAD_GATEWAY = 502

const Refused = z.object({ message: z.string() })

/** Calls an edge function and checks what it answers.
 *  @throws {Refusal} when the function refused or what came back is no answer of it, {TypeError} when it could not be reached. */
export async function invoke<Answer>(name: string, body: object, answer: z.ZodMiniType<Answer>): Promise<Answer> {
  const { data, error } = await supabase.functions.invoke(name, { body })
  if (error) throw await explainInvocation(error)
  const answered = z.safeParse(answer, data)
  if (!answered.success) throw new Refusal(BAD_GATEWAY, 'This is no answer of the function.')
  return answered.data
}

/** What a function's refusal says, where the client only says that there was one. */
export async function explainInvocation(error: unknown): Promise<unknown> {
  if (error instanceof FunctionsFetchError) return new TypeError('Failed to fetch', { cause: error })
  // The client could not read it.
  if (error instanceof SyntaxError) return new Refusal(BAD_GATEWAY, error.message)
  if (!(error instanceof FunctionsHttpError)) return error
  const response: Response = error.context
  const refused = Refused.safeParse(await response.json().catch(() => null))
  return new Refusal(response.status, refused.data?.message ?? response.statusText)
}
