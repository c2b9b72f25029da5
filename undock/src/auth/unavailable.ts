import type { Call } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError, type Refusal } from './errors.ts'

/** A route of what is not there yet: it refuses as upstream does with the feature switched off. */
export const unavailable =
  (refusal: Refusal) =>
  async (_deps: AuthDeps, _call: Call): Promise<never> => {
    throw authError(refusal)
  }

/** GET /authorize and linking by redirect: no external provider is there yet.
 *  @see supabase/auth internal/api/external.go, Provider */
export async function authorize(_deps: AuthDeps, { query }: Call): Promise<never> {
  throw authError('providerUnsupported', [`Provider ${query.get('provider') ?? ''} could not be found`])
}
