import * as z from 'zod/mini'
import { lookUp } from '../lib/i18n/i18n.ts'
import { lenient } from '../lib/lenient.ts'

/** What went wrong, as the database (supabase/schemas/01_refusals.sql) and the edge functions (_shared/errors.ts) store and send it.
 *  Without a code the message alone is known. */
const Problem = z.object({
  code: lenient(z.string()),
  message: z.catch(z.string(), ''),
  hint: lenient(z.nullable(z.string())),
  parameters: z.catch(z.record(z.string(), z.unknown()), {}),
})
type Problem = z.infer<typeof Problem>

/** Parameters that are words of ours; their codes are in the catalogues as `kind.CODE`. */
const KIND_PARAMETERS = new Set(['claimed', 'found'])

/** The code of a stored or sent problem. */
export const problemCode = (problem: unknown): string | undefined => z.safeParse(Problem, problem).data?.code

/** A problem in the language on screen. Of a code that the catalogue lacks, as all codes in English, the backend's own message is
 *  shown. */
export function describeProblem(problem: unknown): { title: string; advice: string } {
  const { code, message, hint, parameters } = z.catch(Problem, { message: '', parameters: {} }).parse(problem)
  const values = valuesOf(parameters)
  return {
    title: lookUp(`error.${code}`, values) ?? message,
    advice: hint ? (lookUp(`error.${code}.hint`, values) ?? hint) : '',
  }
}

/** The same in one text. */
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

/** What a rule of the database refused, from PostgREST's error, whose details are the code and the parameters; undefined for other
 *  errors. */
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
