import { z } from 'zod'
import { Constants } from '../_shared/database.ts'

const several = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(item).max(100)).optional()

const FieldCondition = z
  .strictObject({
    field_id: z.guid(),
    any: z.array(z.guid()).min(1).max(100).optional(),
    words: z.string().min(1).max(300).optional(),
    from: z.union([z.number(), z.iso.date()]).optional(),
    to: z.union([z.number(), z.iso.date()]).optional(),
    empty: z.literal(true).optional(),
  })
  .refine(
    ({ field_id: _, ...condition }) => Object.keys(condition).length > 0,
    'A condition has `any`, `words`, `from`, `to` or `empty`.',
  )
  .refine(
    ({ from, to }) => from === undefined || to === undefined || typeof from === typeof to,
    '`from` and `to` are both numbers or both days.',
  )

const FieldConditions = z
  .string()
  .max(8000)
  .transform((text, context) => {
    try {
      return z.array(FieldCondition).max(20).parse(JSON.parse(text))
    } catch (error) {
      const message = error instanceof z.ZodError ? z.prettifyError(error) : 'It is not JSON.'
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
  })

/** Query parameters that filter lists and searches, the same as on the app's shelf. */
export const DocumentFilters = {
  collection: z.guid().optional().meta({ description: 'In this collection or a nested one.' }),
  direct: z.enum(['true', 'false']).optional().meta({ description: 'With `collection`: without nested ones.' }),
  kind: several(z.enum(Constants.public.Enums.document_kind)).meta({
    description: 'Can be repeated, like `tag`, `person` and `media_type`: matches any of them.',
  }),
  tag: several(z.guid()).meta({ description: 'Has one of these tags.' }),
  person: several(z.guid()).meta({ description: 'Was added by one of these members.' }),
  title: z.string().min(1).max(300).optional().meta({ description: 'Words or beginnings of words in the title.' }),
  author: z.string().min(1).max(300).optional().meta({ description: "Part of the document's author." }),
  media_type: several(z.string().min(1).max(100)).meta({ description: 'Such as application/pdf or image/*.' }),
  added_since: z.iso.datetime({ offset: true }).optional(),
  added_until: z.iso.datetime({ offset: true }).optional(),
  dated_from: z.iso.date().optional().meta({ description: "The document's own date." }),
  dated_to: z.iso.date().optional(),
  fields: FieldConditions.optional().meta({
    description:
      'Conditions on fields, as JSON: `[{ "field_id": "…", "any": ["option or member"] }]`, with `words` for texts, `from` and `to` for numbers and days, or `"empty": true`. All must be met.',
    type: 'string',
    example: '[{"field_id":"de300000-0000-4000-8000-000000000301","from":"2026-01-01"}]',
  }),
}
const Filters = z.object(DocumentFilters)

/** Converts them to the arguments of search_passages() and shelf_page(). */
export function filtersOf(query: z.infer<typeof Filters>): Record<string, unknown> {
  const filters = {
    [query.direct === 'true' ? 'place' : 'collection']: query.collection,
    kinds: query.kind,
    tags: query.tag,
    people: query.person,
    title: query.title,
    author: query.author,
    media_types: query.media_type?.map((type) => type.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')),
    since: query.added_since,
    until: query.added_until,
    dated_from: query.dated_from,
    dated_to: query.dated_to,
    fields: query.fields?.map(({ field_id, ...condition }) => ({ fields: [field_id], ...condition })),
  }
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
}
