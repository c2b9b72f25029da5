import { FunctionsFetchError, FunctionsHttpError } from '@supabase/supabase-js'
import * as z from 'zod/mini'
import { Refusal } from './failure.ts'
import { supabase } from './supabase.ts'

const Refused = z.object({ message: z.string() })

/** Calls an edge function and checks what it answers.
 *  @throws {Refusal} when the function refused, {TypeError} when it could not be reached. */
export async function invoke<Answer>(name: string, body: object, answer: z.ZodMiniType<Answer>): Promise<Answer> {
  const { data, error } = await supabase.functions.invoke(name, { body })
  if (error) throw await explainInvocation(error)
  return z.parse(answer, data)
}

/** What a function's refusal says, where the client only says that there was one. */
export async function explainInvocation(error: unknown): Promise<unknown> {
  if (error instanceof FunctionsFetchError) return new TypeError('Failed to fetch', { cause: error })
  if (!(error instanceof FunctionsHttpError)) return error
  const response: Response = error.context
  const refused = Refused.safeParse(await response.json().catch(() => null))
  return new Refusal(response.status, refused.data?.message ?? response.statusText)
}
