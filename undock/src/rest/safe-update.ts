import { ServiceError } from '../kernel/service-error.ts'
import type { Plan } from './plan/model.ts'

/** Refuses to update or delete all rows of a table, as the extension safeupdate does, which hosted projects load for their API.
 *  Only requests are checked here, not what functions do inside the database.
 *  @throws 21000 */
export function refuseUnfiltered(plan: Plan): void {
  if (plan.kind !== 'mutate' || plan.mutate.kind === 'insert' || plan.mutate.where.length > 0) return
  // An update without columns changes nothing.
  if (plan.mutate.kind === 'update' && plan.mutate.columns.length === 0) return
  throw new ServiceError('21000', 400, `${plan.mutate.kind.toUpperCase()} requires a WHERE clause`)
}
