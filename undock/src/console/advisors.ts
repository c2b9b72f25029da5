import { type Finding, READ_CATALOG, readAdvisors } from '../project-tools/advisors/index.ts'
import type { Queryable } from './query.ts'

export type { Finding }

/** Reads the advisors' findings.
 *  @param exposed The Data API's schemas. */
export const readFindings = (queryable: Queryable, exposed: readonly string[]): Promise<Finding[]> =>
  queryable.withClient(async (client) => {
    await client.query(READ_CATALOG)
    try {
      return await readAdvisors(async (query, values) => (await client.query(query, [...values])).rows, exposed)
    } finally {
      await client.query('rollback')
    }
  })
