import * as z from 'zod/mini'

const Env = z.object({
  VITE_SUPABASE_URL: z.url(),
  VITE_SUPABASE_PUBLISHABLE_KEY: z.string().check(z.minLength(1)),
})

/** Returns the backend's address and publishable key.
 *  @throws {Error} naming all missing or invalid variables, so that a broken build fails immediately. */
export function parseEnv(source: Record<string, unknown>): { supabaseUrl: string; publishableKey: string } {
  const parsed = Env.safeParse(source)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`Carrel was built without its settings. ${faults.join('; ')}`)
  }
  return {
    supabaseUrl: parsed.data.VITE_SUPABASE_URL.replace(/\/+$/, ''),
    publishableKey: parsed.data.VITE_SUPABASE_PUBLISHABLE_KEY,
  }
}

export const env = parseEnv(import.meta.env)
