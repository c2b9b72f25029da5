import { ServiceError } from '../kernel/service-error.ts'
import type { Plan } from './plan/model.ts'

/** Refuses to change or delete all rows of a table, as the extension safeupdate does, which the API of every project
 *  loads. Here it is seen in the request; what a function does inside the database goes its way.
 *  @throws 21000 */
export function refuseUnfiltered(plan: Plan): void {
  if (plan.kind !== 'mutate' || plan.mutate.kind === 'insert' || plan.mutate.where.length > 0) return
  // An update of no column is none.
  if (plan.mutate.kind === 'update' && plan.mutate.columns.length === 0) return
  throw new ServiceError('21000', 400, `${plan.mutate.kind.toUpperCase()} requires a WHERE clause`)
}
