import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { Rule, RuleChange } from './rule.ts'

/** A library's rules in order; empty for readers. */
export const rulesQuery = (library: string) =>
  databaseQuery(
    keys.rules(library),
    () => supabase.rpc('library_rules', { library }),
    (data) => z.array(Rule).parse(data),
  )

const RUNS = 20

export const ruleRunsQuery = (library: string, rule: string) =>
  databaseQuery(
    [...keys.rules(library), rule, 'runs'],
    () =>
      supabase
        .from('rule_runs')
        .select('id, document_id, changes, problem, created_at, document:documents(title)')
        .eq('rule_id', rule)
        .order('id', { ascending: false })
        .limit(RUNS),
    (data) => data.map((run) => ({ ...run, changes: z.array(RuleChange).parse(run.changes) })),
  )

const Trial = z.object({
  total: z.number(),
  documents: z.array(z.string()),
  shown: z.array(z.object({ id: z.string(), title: z.string() })),
})

/** Documents that a rule matches now: all ids, and the newest fifty with titles. */
export const ruleTrialQuery = (library: string, rule: string) => ({
  ...databaseQuery(
    [...keys.rules(library), rule, 'trial'],
    () => supabase.rpc('try_rule', { rule }),
    (data) => Trial.parse(data),
  ),
  staleTime: 0,
  gcTime: 0,
})
