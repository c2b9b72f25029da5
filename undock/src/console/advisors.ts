import { readAdvisors } from '../database/advisors.ts'
import type { Queryable } from './query.ts'

export type Finding = Awaited<ReturnType<typeof readAdvisors>>['lints'][number]

/** What the advisors find in the database.
 *  @param exposed The schemas that the Data API shows. */
export async function readFindings(queryable: Queryable, exposed: readonly string[]): Promise<Finding[]> {
  const read = (query: string, parameters: readonly unknown[] = []) =>
    queryable.withClient(async (client) => (await client.query(query, [...parameters])).rows)
  const found = await Promise.all([readAdvisors(read, 'SECURITY', exposed), readAdvisors(read, 'PERFORMANCE', exposed)])
  return found.flatMap(({ lints }) => lints)
}
