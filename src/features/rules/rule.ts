import * as z from 'zod/mini'
import type { Person } from '../../domain/field-conditions.ts'
import { FieldFilter } from '../../domain/field-filter.ts'
import type { Field } from '../../domain/fields.ts'

/** `value` is a kind, a file type, a part of a text, or the id of a person or tag. */
export const RuleCondition = z.union([
  z.extend(z.omit(FieldFilter, { fields: true }), { on: z.literal('field'), field: z.string() }),
  z.object({ on: z.enum(['kind', 'type', 'title', 'address', 'text', 'added_by', 'tag']), value: z.string() }),
])
export type RuleCondition = z.infer<typeof RuleCondition>

export const RuleAction = z.union([
  z.object({ do: z.literal('tag'), tag: z.string() }),
  z.object({ do: z.literal('move'), collection: z.string() }),
  z.object({
    do: z.literal('set'),
    field: z.string(),
    value: z.union([z.string(), z.number(), z.array(z.string()), z.null()]),
  }),
  z.object({ do: z.literal('tell'), everybody: z.literal(true) }),
  z.object({ do: z.literal('tell'), people: z.array(z.string()) }),
])
export type RuleAction = z.infer<typeof RuleAction>

const PROBLEMS = ['owner', 'collection', 'tag', 'field', 'option', 'member'] as const

export const Rule = z.object({
  id: z.string(),
  name: z.string(),
  is_on: z.boolean(),
  on_added: z.boolean(),
  on_moved: z.boolean(),
  /** Null for the whole library. */
  collection_id: z.nullable(z.string()),
  includes_inside: z.boolean(),
  conditions: z.array(RuleCondition),
  actions: z.array(RuleAction),
  /** Why it's paused: a missing reference, or an owner who can no longer edit. */
  problem: z.nullable(z.enum(PROBLEMS)),
})
export type Rule = z.infer<typeof Rule>

/** A rule being edited; without an id it's new. */
export type RuleDraft = Omit<Rule, 'id' | 'problem'> & { id?: string | undefined }

export const RuleChange = z.union([
  z.object({ do: z.literal('tag'), tag: z.string(), name: z.string() }),
  z.object({ do: z.literal('move'), collection: z.string(), name: z.string(), from: z.nullable(z.string()) }),
  z.object({
    do: z.literal('set'),
    field: z.string(),
    name: z.string(),
    before: z.union([z.string(), z.number(), z.array(z.string()), z.null()]),
  }),
  z.object({ do: z.literal('tell'), count: z.number() }),
])
export type RuleChange = z.infer<typeof RuleChange>

export type Names = {
  /** Parents first; `name` is the path. */
  collections: readonly Person[]
  tags: readonly Person[]
  people: readonly Person[]
  fields: readonly Field[]
}

/** The database's limits. */
export const MAX_RULES = 50
export const MAX_PARTS = 10
