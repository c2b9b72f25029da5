import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { Rule, RuleChange } from './rule.ts'

/** A library's rules in order; empty for readers. */
export const rulesQuery = (library: string) =>
  queryOptions({
    queryKey: keys.rules(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('library_rules', { library }).abortSignal(signal).throwOnError()
      return z.array(Rule).parse(data)
    },
  })

const RUNS = 20

export const ruleRunsQuery = (library: string, rule: string) =>
  queryOptions({
    queryKey: [...keys.rules(library), rule, 'runs'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('rule_runs')
        .select('id, document_id, changes, problem, created_at, document:documents(title)')
        .eq('rule_id', rule)
        .order('id', { ascending: false })
        .limit(RUNS)
        .abortSignal(signal)
        .throwOnError()
      return data.map((run) => ({ ...run, changes: z.array(RuleChange).parse(run.changes) }))
    },
  })

const Trial = z.object({
  total: z.number(),
  documents: z.array(z.string()),
  shown: z.array(z.object({ id: z.string(), title: z.string() })),
})

/** Documents that a rule matches now: all ids, and the newest fifty with titles. */
export const ruleTrialQuery = (library: string, rule: string) =>
  queryOptions({
    queryKey: [...keys.rules(library), rule, 'trial'],
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) =>
      Trial.parse((await supabase.rpc('try_rule', { rule }).abortSignal(signal).throwOnError()).data),
  })
