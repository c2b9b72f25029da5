import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { inBatches } from '../../lib/batches.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { Deed, type RuleAction, type RuleDraft } from './rule.ts'

type OfLibrary = { library: string }

/** Makes a rule, or replaces one; whoever saves it is its maker from then on. */
export const saveRule = defineMutation({
  mutationFn: async ({ library, rule }: OfLibrary & { rule: RuleDraft }) => {
    await supabase.rpc('save_rule', { library, rule }).throwOnError()
  },
  invalidates: ({ library }) => [keys.rules(library)],
})

export const deleteRule = defineMutation({
  mutationFn: async ({ rule }: OfLibrary & { rule: string }) => {
    await supabase.from('rules').delete().eq('id', rule).throwOnError()
  },
  invalidates: ({ library }) => [keys.rules(library)],
})

export const turnRule = defineMutation({
  mutationFn: async ({ rule, on }: OfLibrary & { rule: string; on: boolean }) => {
    await supabase.from('rules').update({ is_on: on }).eq('id', rule).throwOnError()
  },
  invalidates: ({ library }) => [keys.rules(library)],
})

/** Puts all rules of a library into an order. */
export const orderRules = defineMutation({
  mutationFn: async ({ rules }: OfLibrary & { rules: readonly string[] }) => {
    for (const [position, id] of rules.entries())
      await supabase.from('rules').update({ position }).eq('id', id).throwOnError()
  },
  invalidates: ({ library }) => [keys.rules(library)],
})

const Applied = z.array(z.object({ document_id: z.string(), deeds: z.array(Deed), problem: z.unknown() }))
export type Applied = z.infer<typeof Applied>

const touched = (library: string) => [
  keys.rules(library),
  keys.documents(library),
  keys.search(library),
  keys.tags(library),
]

/** Applies a rule to documents that are there. @returns what is different now, of each. */
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

/** Puts documents back as they were before a rule was applied to them: the last action first, because a field is set where it holds. */
export const undoRule = defineMutation({
  mutationFn: async ({ actions, applied }: OfLibrary & { actions: readonly RuleAction[]; applied: Applied }) => {
    const deeds = applied.flatMap(({ document_id: document, deeds }) => deeds.map((deed) => ({ document, deed })))
    const groups = [...Map.groupBy(deeds, ({ deed }) => JSON.stringify(deed)).values()].flatMap(([first, ...others]) =>
      first ? [{ deed: first.deed, documents: [first, ...others].map(({ document }) => document) }] : [],
    )
    const place = ({ deed }: { deed: Deed }) => actions.findLastIndex((action) => causes(action, deed))
    for (const { deed, documents } of groups.toSorted((one, other) => place(other) - place(one)))
      await inBatches(documents, (ids) => takeBack(deed, ids))
  },
  invalidates: ({ library }) => touched(library),
})

const causes = (action: RuleAction, deed: Deed): boolean =>
  (action.do === 'tag' && deed.do === 'tag' && action.tag === deed.tag) ||
  (action.do === 'move' && deed.do === 'move' && action.collection === deed.collection) ||
  (action.do === 'set' && deed.do === 'set' && action.field === deed.field)

async function takeBack(deed: Deed, documents: string[]): Promise<void> {
  if (deed.do === 'tag')
    await supabase.from('document_tags').delete().eq('tag_id', deed.tag).in('document_id', documents).throwOnError()
  else if (deed.do === 'move')
    await supabase.from('documents').update({ collection_id: deed.from }).in('id', documents).throwOnError()
  else if (deed.do === 'set')
    await supabase.rpc('set_field_value', { documents, field: deed.field, value: deed.before }).throwOnError()
}
