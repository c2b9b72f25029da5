import * as z from 'zod/mini'
import type { Person } from '../../domain/field-conditions.ts'
import { FieldFilter } from '../../domain/field-filter.ts'
import type { Field } from '../../domain/fields.ts'

/** One of what a document meets all of; `value` is a kind, a type of file, a part of a text, or the id of a person or a tag. */
export const RuleCondition = z.union([
  z.extend(z.omit(FieldFilter, { fields: true }), { on: z.literal('field'), field: z.string() }),
  z.object({ on: z.enum(['kind', 'type', 'title', 'address', 'text', 'added_by', 'tag']), value: z.string() }),
])
export type RuleCondition = z.infer<typeof RuleCondition>

/** What is done with it. */
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

/** A rule of a library as the database has it. */
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
  /** Why it rests: what is gone that it names, or that its owner may not edit the library any more. */
  problem: z.nullable(z.enum(PROBLEMS)),
})
export type Rule = z.infer<typeof Rule>

/** A rule that is being written; without an id it is a new one. */
export type RuleDraft = Omit<Rule, 'id' | 'problem'> & { id?: string | undefined }

/** What a rule did, or what is different since it was applied. */
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

/** What the conditions and actions of a library's rules can name. */
export type Names = {
  /** Each after the one around it; `name` is its path. */
  collections: readonly Person[]
  tags: readonly Person[]
  people: readonly Person[]
  fields: readonly Field[]
}

/** The limits of the database. */
export const MOST_RULES = 50
export const MOST_PARTS = 10
