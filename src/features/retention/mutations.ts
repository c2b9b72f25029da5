import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'
import type { Rule } from './queries.ts'

export type RuleTerms = {
  trash_after: number | null
  trash_unit: 'day' | 'month' | 'year'
  basis: 'added' | 'changed' | 'field'
  field_id: string | null
  trash_days: number
  keep_years: number | null
}

/** Queries that depend on rules, including when trash is deleted. */
const affected = ({ library }: { library: string }) => [keys.retention(library), keys.trash(library)]

type RuleDraft = { library: string; rule: Pick<Rule, 'id'> | undefined; collection: string | null; terms: RuleTerms }

/** Adds a rule, which starts off, or changes one. */
export const saveRule = defineMutation({
  mutationFn: async ({ library, rule, collection, terms }: RuleDraft) => {
    if (rule) await changeRule(rule.id, terms)
    else
      await supabase
        .from('retention_rules')
        .insert({ library_id: library, collection_id: collection, ...terms })
        .throwOnError()
  },
  invalidates: affected,
})

export const switchRule = defineMutation({
  mutationFn: ({ rule, isOn }: { library: string; rule: string; isOn: boolean }) => changeRule(rule, { is_on: isOn }),
  invalidates: affected,
})

async function changeRule(rule: string, change: Partial<RuleTerms> | { is_on: boolean }): Promise<void> {
  const { data } = await supabase.from('retention_rules').update(change).eq('id', rule).select('id').throwOnError()
  // Row security raises no error but changes no row.
  if (data.length === 0) throw new Error(t('Only an owner of the library can change its rules.'))
}

export const deleteRule = defineMutation({
  mutationFn: async ({ rule }: { library: string; rule: string }) => {
    const { data } = await supabase.from('retention_rules').delete().eq('id', rule).select('id').throwOnError()
    if (data.length === 0) throw new Error(t('Only an owner of the library can change its rules.'))
  },
  invalidates: affected,
})

export const placeHold = defineMutation({
  mutationFn: ({ library, document, reason }: { library: string; document: string; reason: string }) =>
    supabase.from('legal_holds').insert({ library_id: library, document_id: document, reason }).throwOnError(),
  invalidates: affected,
})

export const liftHold = defineMutation({
  mutationFn: ({ document }: { library: string; document: string }) =>
    supabase.from('legal_holds').delete().eq('document_id', document).throwOnError(),
  invalidates: affected,
})
