import * as z from 'zod/mini'
import { lookUp } from '../lib/i18n/i18n.ts'
import { lenient } from '../lib/lenient.ts'

/** A problem as stored and sent by the database (supabase/schemas/base/errors.sql) and edge functions
 *  (_shared/errors.ts). Without a code, only the message is known. */
const Problem = z.object({
  code: lenient(z.string()),
  message: z.catch(z.string(), ''),
  hint: lenient(z.nullable(z.string())),
  parameters: z.catch(z.record(z.string(), z.unknown()), {}),
})
type Problem = z.infer<typeof Problem>

/** Parameters with translations, `kind.CODE` in the catalogs. */
const KIND_PARAMETERS = new Set(['claimed', 'found'])

export const problemCode = (problem: unknown): string | undefined => z.safeParse(Problem, problem).data?.code

/** Describes a problem in the current language. Falls back to the backend's English message. */
export function describeProblem(problem: unknown): { title: string; advice: string } {
  const { code, message, hint, parameters } = z.catch(Problem, { message: '', parameters: {} }).parse(problem)
  const values = valuesOf(parameters)
  return {
    title: lookUp(`error.${code}`, values) ?? message,
    advice: hint ? (lookUp(`error.${code}.hint`, values) ?? hint) : '',
  }
}

/** Like describeProblem, as a single text. */
export function problemText(problem: unknown): string {
  const { title, advice } = describeProblem(problem)
  return [title, advice].filter(Boolean).join(' ')
}

function valuesOf(parameters: Problem['parameters']): Record<string, string | number> {
  const values: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === 'number') values[name] = value
    else if (typeof value === 'string') {
      values[name] = (KIND_PARAMETERS.has(name) && lookUp(`kind.${value}`)) || value
    }
  }
  return values
}

const Raised = z.object({ message: z.string(), details: z.string(), hint: z.nullish(z.string()) })
const Detail = z.object({ code: z.string(), parameters: z.optional(z.record(z.string(), z.unknown())) })

/** Returns a database rule's refusal from PostgREST's error; undefined for others. */
export function refusedBy(error: unknown): Problem | undefined {
  const { data } = z.safeParse(Raised, error)
  if (!data?.details.startsWith('{')) return
  try {
    const { code, parameters = {} } = Detail.parse(JSON.parse(data.details))
    return { code, message: data.message, hint: data.hint, parameters }
  } catch {
    return
  }
}
