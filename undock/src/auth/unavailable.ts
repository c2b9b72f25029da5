import type { Call } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError, type Refusal } from './errors.ts'

/** A route of what is not there yet: it refuses as upstream does with the feature switched off. */
export const unavailable =
  (refusal: Refusal) =>
  async (_deps: AuthDeps, _call: Call): Promise<never> => {
    throw authError(refusal)
  }
