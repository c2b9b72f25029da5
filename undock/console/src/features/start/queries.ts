import { queryOptions } from '@tanstack/react-query'
import type { DescribedStarter } from '../../../../src/console/routes.ts'
import { api, readJson } from '../../lib/api.ts'
import { catalogKey } from '../catalog.ts'

export type { DescribedStarter }

/** Which first steps a project has completed. @property table The first table without a policy, or else any. @property tables Those in
 *  exposed schemas. */
export type FirstSteps = {
  readonly tables: number
  readonly policies: number
  readonly users: boolean
  readonly buckets: boolean
  readonly table: { readonly schema: string; readonly name: string } | null
}

/** @param exposed The Data API's schemas. */
export const firstStepsQuery = (exposed: readonly string[]) =>
  queryOptions({
    queryKey: [...catalogKey, 'first steps', exposed],
    queryFn: async ({ signal }) => {
      const [steps] = await readJson<FirstSteps>(
        `with own as (
           select n.nspname, c.relname, exists (select from pg_policy p where p.polrelid = c.oid) as has_policy
           from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where c.relkind in ('r', 'p') and not c.relispartition and n.nspname = any ($1::text[])
             and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e'))
         select json_build_object('tables', (select count(*) from own),
           'policies', (select count(*) from own where has_policy),
           'users', exists (select from auth.users), 'buckets', exists (select from storage.buckets),
           'table', (select json_build_object('schema', nspname, 'name', relname) from own
             order by has_policy, nspname, relname limit 1))`,
        [`{${exposed.map((one) => `"${one.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`],
        { signal },
      )
      return steps ?? { tables: 0, policies: 0, users: false, buckets: false, table: null }
    },
  })

export const startersQuery = queryOptions({
  queryKey: [...catalogKey, 'starters'],
  queryFn: ({ signal }) => api<readonly DescribedStarter[]>('/starters', { signal }),
})

/** Applies a starter and writes its files. @returns their paths. */
export const applyStarter = (name: DescribedStarter['name']): Promise<{ readonly paths: readonly string[] }> =>
  api('/starters', { method: 'POST', body: { name } })
