import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { inBatches } from '../../lib/batches.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { type RuleAction, RuleChange, type RuleDraft } from './rule.ts'

type OfLibrary = { library: string }

/** Creates or replaces a rule. The caller becomes its owner. */
export const saveRule = defineMutation({
  mutationFn: ({ library, rule }: OfLibrary & { rule: RuleDraft }) =>
    supabase.rpc('save_rule', { library, rule }).throwOnError(),
  invalidates: ({ library }) => [keys.rules(library)],
})

export const deleteRule = defineMutation({
  mutationFn: ({ rule }: OfLibrary & { rule: string }) => supabase.from('rules').delete().eq('id', rule).throwOnError(),
  invalidates: ({ library }) => [keys.rules(library)],
})

export const turnRule = defineMutation({
  mutationFn: ({ rule, on }: OfLibrary & { rule: string; on: boolean }) =>
    supabase.from('rules').update({ is_on: on }).eq('id', rule).throwOnError(),
  invalidates: ({ library }) => [keys.rules(library)],
})

export const orderRules = defineMutation({
  mutationFn: async ({ rules }: OfLibrary & { rules: readonly string[] }) => {
    for (const [position, id] of rules.entries())
      await supabase.from('rules').update({ position }).eq('id', id).throwOnError()
  },
  invalidates: ({ library }) => [keys.rules(library)],
})

const Applied = z.array(z.object({ document_id: z.string(), changes: z.array(RuleChange), problem: z.unknown() }))
export type Applied = z.infer<typeof Applied>

const touched = (library: string) => [
  keys.rules(library),
  keys.documents(library),
  keys.search(library),
  keys.tags(library),
]

/** Applies a rule to existing documents. @returns the changes of each. */
export const applyRule = defineMutation({
  mutationFn: async ({ rule, documents }: OfLibrary & { rule: string; documents: readonly string[] }) => {
    const applied: Applied = []
    await inBatches(documents, async (ids) => {
      const { data } = await supabase.rpc('apply_rule', { rule, documents: ids }).throwOnError()
      applied.push(...Applied.parse(data))
    })
    return applied
  },
  invalidates: ({ library }) => touched(library),
})

/** Undoes a rule's changes, last action first, because a field may apply only in a collection. */
export const undoRule = defineMutation({
  mutationFn: async ({ actions, applied }: OfLibrary & { actions: readonly RuleAction[]; applied: Applied }) => {
    const changes = applied.flatMap(({ document_id: document, changes }) =>
      changes.map((change) => ({ document, change })),
    )
    const groups = [...Map.groupBy(changes, ({ change }) => JSON.stringify(change)).values()].flatMap(
      ([first, ...others]) =>
        first ? [{ change: first.change, documents: [first, ...others].map(({ document }) => document) }] : [],
    )
    const place = ({ change }: { change: RuleChange }) => actions.findLastIndex((action) => causes(action, change))
    for (const { change, documents } of groups.toSorted((one, other) => place(other) - place(one)))
      await inBatches(documents, (ids) => takeBack(change, ids))
  },
  invalidates: ({ library }) => touched(library),
})

const causes = (action: RuleAction, change: RuleChange): boolean =>
  (action.do === 'tag' && change.do === 'tag' && action.tag === change.tag) ||
  (action.do === 'move' && change.do === 'move' && action.collection === change.collection) ||
  (action.do === 'set' && change.do === 'set' && action.field === change.field)

async function takeBack(change: RuleChange, documents: string[]): Promise<void> {
  if (change.do === 'tag') await supabase.rpc('untag_documents', { documents, tag: change.tag }).throwOnError()
  else if (change.do === 'move')
    await supabase.rpc('move_documents', { documents, ...(change.from && { collection: change.from }) }).throwOnError()
  else if (change.do === 'set')
    await supabase.rpc('set_field_value', { documents, field: change.field, value: change.before }).throwOnError()
}
