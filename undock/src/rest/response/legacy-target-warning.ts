import type { ReadPlan } from '../plan/model.ts'
import { POSTGREST_VERSION } from '../version.ts'

/** The header Warning of a request whose parameters name an aliased resource by its table. PostgREST 16 still finds it, a later
 *  version will not (App.hs).
 *  @returns null when there is nothing to warn of. */
export function legacyTargetWarning(plan: ReadPlan): string | null {
  const replaced = replacements(plan)
  if (replaced.length === 0) return null
  const message = `${DEPRECATED} Update ${replaced.join(', ')} in query string filters, orders or limits.`
  return `299 PostgRESTv${POSTGREST_VERSION} "${message}"`
}

const DEPRECATED =
  'Embedded resource was referenced by relation name even though it has an alias. This is deprecated and will stop working in a future release.'

const replacements = ({ name, alias, isNamedDespiteAlias, children }: ReadPlan): string[] => [
  ...(isNamedDespiteAlias ? [`\`${name}\` to \`${alias}\``] : []),
  ...children.flatMap(replacements),
]
