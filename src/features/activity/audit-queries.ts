import { infiniteQueryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { filterParameters } from './areas.ts'
import type { ActivityFilter } from './filter.ts'

export const AuditEntry = z.object({
  id: z.number(),
  created_at: z.string(),
  kind: z.string(),
  person_id: z.nullable(z.string()),
  /** Null without a signed-in person, or if the account is deleted. */
  person: z.nullable(z.string()),
  document_id: z.nullable(z.string()),
  details: z.record(z.string(), z.unknown()),
})
export type AuditEntry = z.infer<typeof AuditEntry>

const PAGE = 50

/** A library's log, newest first. Owners only. */
export const auditQuery = (library: string, filter: ActivityFilter) =>
  infiniteQueryOptions({
    queryKey: [...keys.audit(library), filter],
    initialPageParam: undefined as AuditEntry | undefined,
    queryFn: async ({ pageParam: last, signal }) => {
      const before = last ? { before_time: last.created_at, before_id: last.id } : {}
      const { data } = await supabase
        .rpc('audit_entries', { library, ...filterParameters(filter), ...before, max_results: PAGE })
        .abortSignal(signal)
        .throwOnError()
      return z.array(AuditEntry).parse(data)
    },
    getNextPageParam: (page) => (page.length === PAGE ? page.at(-1) : undefined),
  })

export const auditPeopleQuery = (library: string) =>
  databaseQuery([...keys.audit(library), 'people'], () => supabase.rpc('audit_people', { library }))
