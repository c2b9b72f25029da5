import { z } from 'zod'
import { Constants } from '../database.ts'

// The public API's request and response objects. Times are ISO 8601 in UTC.

export const Id = z.guid().meta({ description: 'A UUID.', example: 'de300000-0000-4000-8000-000000000104' })
const Time = z.iso.datetime({ offset: true }).meta({ example: '2026-11-24T09:30:00.123456+00:00' })
const Day = z.iso.date().meta({ example: '2026-03-05' })
const nullableId = (description: string) => Id.nullable().meta({ description })

export const Library = z
  .object({ id: Id, name: z.string(), description: z.string(), created_at: Time })
  .meta({ id: 'Library', description: "The key's library." })

export const Tag = z
  .object({ id: Id, name: z.string().meta({ example: 'light' }), color: z.string().meta({ example: 'slate' }) })
  .meta({ id: 'Tag', description: "A tag of the library's documents." })

export const Collection = z
  .object({
    id: Id,
    name: z.string().meta({ example: 'Lighthouses' }),
    parent_id: nullableId('The collection that contains it; null at the top.'),
    created_by: nullableId('The member who made it; null if their account is gone.'),
    created_at: Time,
  })
  .meta({ id: 'Collection', description: 'A folder of documents.' })

export const FieldValue = z.union([z.string(), z.number()]).meta({
  description:
    'A text, a number, a day (2026-03-05), the id of a member, or the id of an option, by the kind of the field.',
})

export const Field = z
  .object({
    id: Id,
    collection_id: Id.meta({ description: 'The collection it belongs to; it also applies to nested collections.' }),
    name: z.string().meta({ example: 'Due date' }),
    kind: z.enum(Constants.public.Enums.field_kind),
    takes_several: z.boolean(),
    options: z
      .array(z.object({ id: Id, name: z.string(), color: z.string() }))
      .meta({ description: 'The options of a choice.' }),
  })
  .meta({ id: 'Field', description: "A field of a collection's documents." })

const Name = z.looseObject({
  family: z.string().optional(),
  given: z.string().optional(),
  literal: z.string().optional().meta({ description: 'For an institution, or a person with a single name.' }),
})
const CITED = {
  type: z.string().optional().meta({ description: 'A CSL type.', example: 'article-journal' }),
  author: z.array(Name).optional(),
  editor: z.array(Name).optional(),
  issued: z
    .looseObject({ 'date-parts': z.array(z.array(z.number())) })
    .optional()
    .meta({ example: { 'date-parts': [[1822, 7, 29]] } }),
  'container-title': z.string().optional().meta({ description: 'The journal or book that contains it.' }),
  publisher: z.string().optional(),
  volume: z.string().optional(),
  issue: z.string().optional(),
  page: z.string().optional().meta({ example: '246-296' }),
  DOI: z.string().optional().meta({ example: '10.1000/182' }),
  ISBN: z.string().optional(),
  ISSN: z.string().optional(),
  URL: z.string().optional(),
}
export const Reference = z.looseObject(CITED).meta({
  id: 'Reference',
  description:
    'How a document is cited: an item of CSL-JSON without a title, which is that of the document, whose author and date follow it. At most 8 KB, with further properties as CSL has them.',
})

/** A stored reference. The database doesn't validate references, so fields of another form are dropped. */
const Stored = z.looseObject(
  Object.fromEntries(Object.entries(CITED).map(([name, schema]) => [name, orNothing(schema)])),
)

function orNothing(schema: z.ZodType) {
  return schema.catch(undefined)
}

export const Document = z
  .object({
    id: Id,
    kind: z.enum(Constants.public.Enums.document_kind),
    title: z.string().meta({ example: 'How a lighthouse works' }),
    summary: z.string(),
    url: z.string().nullable().meta({ description: 'The address of a link.', example: null }),
    collection_id: nullableId('The collection that it is in; null at the top of the library.'),
    tags: z.array(Tag),
    fields: z
      .array(
        z.object({
          field_id: Id,
          name: z.string(),
          kind: z.enum(Constants.public.Enums.field_kind),
          values: z.array(FieldValue),
        }),
      )
      .meta({ description: 'The fields with a value.' }),
    file_name: z.string().nullable().meta({ example: 'lighthouse.pdf' }),
    media_type: z.string().nullable().meta({ example: 'application/pdf' }),
    size_bytes: z.number().int().nullable(),
    page_count: z.number().int().nullable(),
    state: z.enum(Constants.public.Enums.indexing_state).meta({
      description: "The progress of indexing; search finds the document when it's `ready`.",
    }),
    author: z.string().nullable().meta({ description: 'The author that the document names.' }),
    dated: Day.nullable().meta({ description: "The document's own date." }),
    reference: z.preprocess((stored) => stored && Stored.safeParse(stored).data, z.union([Reference, z.null()])),
    excerpt: z.string().meta({ description: 'The start of its text.' }),
    created_by: nullableId('The member who added it; null if their account is gone.'),
    created_at: Time,
    updated_at: Time.meta({
      description:
        'When its title, summary, collection, content or place in the trash changed. Tags, fields and its reference are no change of it.',
    }),
    deleted_at: Time.nullable().meta({
      description: 'When it was moved to the trash; see trashDocument.',
      example: null,
    }),
  })
  .meta({ id: 'Document' })
export type Document = z.infer<typeof Document>

export const DocumentText = z
  .object({
    document_id: Id,
    format: z.enum(['markdown', 'passages']).meta({ description: 'A note has Markdown, a file or link has passages.' }),
    markdown: z.string().nullable(),
    passages: z
      .array(
        z.object({ id: Id, page: z.number().int().nullable(), heading: z.string().nullable(), content: z.string() }),
      )
      .meta({
        description:
          'About 200 words each, in their order. The last sentence of one may be repeated at the start of the next.',
      }),
    next_cursor: z.string().nullable().meta({ description: 'The cursor for further passages.' }),
  })
  .meta({ id: 'DocumentText' })

export const Comment = z
  .object({
    id: Id,
    document_id: Id,
    parent_id: nullableId('The comment it replies to.'),
    body: z.string().meta({ description: 'Empty for a highlight.', example: 'Which year was that?' }),
    quote: z.string().nullable().meta({ description: 'The words of the document it refers to.' }),
    page: z.number().int().nullable(),
    resolved_at: Time.nullable(),
    resolved_by: Id.nullable(),
    edited_at: Time.nullable(),
    created_by: nullableId('The member who wrote it; null if their account is gone.'),
    created_at: Time,
  })
  .meta({ id: 'Comment' })

export const Member = z
  .object({
    user_id: Id,
    display_name: z.string(),
    role: z.enum(Constants.public.Enums.member_role),
    joined_at: Time,
  })
  .meta({ id: 'Member' })

export const Passage = z
  .object({
    id: Id,
    document_id: Id,
    title: z.string(),
    kind: z.enum(Constants.public.Enums.document_kind),
    media_type: z.string().nullable(),
    page: z.number().int().nullable(),
    heading: z.string().nullable(),
    content: z.string(),
    highlights: z.array(z.tuple([z.number().int(), z.number().int()])).meta({
      description: "Positions of the query's words in `content`: start and end in UTF-16 units.",
    }),
    related: z.boolean().meta({ description: 'True if it has no word of the query and was found by meaning.' }),
    more_in_document: z.number().int().meta({ description: 'How many more passages of this document match.' }),
  })
  .meta({ id: 'Passage', description: 'A passage found by a search.' })
