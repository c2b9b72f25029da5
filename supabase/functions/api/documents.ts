import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Document, DocumentText, FieldValue, Id, Reference } from '../_shared/api/objects.ts'
import { serviceClient } from '../_shared/clients.ts'
import { MAX_LENGTH, MAX_TITLE } from '../_shared/facts.ts'
import type { Sql } from './database.ts'
import { DocumentFilters, filtersOf } from './document-filters.ts'
import { documentJson, documentOf, documentsOf } from './document-rows.ts'
import {
  type Api,
  found,
  IdParameter,
  json,
  jsonBody,
  needs,
  READ_REFUSALS,
  read,
  WRITE_REFUSALS,
  write,
} from './operation.ts'
import { cutPage, openCursor, Paging, pageOf, TimePlace } from './paging.ts'
import { Problem } from './problem.ts'

const list = createRoute({
  method: 'get',
  path: '/documents',
  operationId: 'listDocuments',
  tags: ['Documents'],
  summary: 'List documents',
  description: "Documents outside the trash, with the filters of the app's shelf. Unknown parameters are refused.",
  ...needs('documents:read'),
  request: {
    query: z.strictObject({
      ...DocumentFilters,
      sort: z
        .union([z.enum(['created_at', 'updated_at', 'title']), z.guid()])
        .default('created_at')
        .meta({ description: 'Or the id of a field, with `collection` and `direct`.' }),
      order: z
        .enum(['asc', 'desc'])
        .optional()
        .meta({ description: 'By default, times are descending and others ascending.' }),
      ...Paging,
    }),
  },
  responses: {
    200: json(
      pageOf(Document).extend({
        total: z.number().int().nullable().meta({ description: 'The total number; on the first page only.' }),
      }),
      'A page of documents.',
    ),
    ...READ_REFUSALS,
  },
})

const get = createRoute({
  method: 'get',
  path: '/documents/{id}',
  operationId: 'getDocument',
  tags: ['Documents'],
  summary: 'Get a document',
  ...needs('documents:read'),
  request: { params: IdParameter },
  responses: { 200: json(Document, 'The document.'), ...READ_REFUSALS },
})

const text = createRoute({
  method: 'get',
  path: '/documents/{id}/text',
  operationId: 'getDocumentText',
  tags: ['Documents'],
  summary: 'Get the text of a document',
  description: 'A note as Markdown; a file or link as passages, once its state is `ready`.',
  ...needs('documents:read'),
  request: { params: IdParameter, query: z.strictObject(Paging) },
  responses: { 200: json(DocumentText, 'The text.'), ...READ_REFUSALS },
})

const file = createRoute({
  method: 'get',
  path: '/documents/{id}/file',
  operationId: 'getDocumentFile',
  tags: ['Documents'],
  summary: 'Get a download address for the file',
  description: 'Anyone with the address can download the file for five minutes.',
  ...needs('documents:read'),
  request: { params: IdParameter },
  responses: {
    200: json(
      z
        .object({
          url: z.url(),
          file_name: z.string().nullable(),
          media_type: z.string(),
          expires_in: z.number().int(),
        })
        .meta({ id: 'FileAddress' }),
      'The address; `expires_in` is in seconds.',
    ),
    ...READ_REFUSALS,
  },
})

const change = createRoute({
  method: 'patch',
  path: '/documents/{id}',
  operationId: 'changeDocument',
  tags: ['Documents'],
  summary: 'Change title, summary, reference, collection, tags or fields',
  description: 'Omitted properties stay unchanged. Either all changes are made, or none.',
  ...needs('documents:write'),
  request: {
    params: IdParameter,
    body: jsonBody(
      z
        .strictObject({
          title: z.string().trim().min(1).max(MAX_TITLE).optional(),
          summary: z.string().max(MAX_LENGTH['documents.summary']).optional(),
          reference: z
            .union([Reference, z.null()])
            .optional()
            .meta({ description: 'Replaces the whole reference; null removes it.' }),
          collection_id: Id.nullable().optional().meta({ description: 'null moves it to the top of the library.' }),
          tag_ids: z.array(Id).max(100).optional().meta({ description: 'Replaces all tags.' }),
          fields: z
            .array(z.strictObject({ field_id: Id, values: z.array(FieldValue).max(50) }))
            .max(50)
            .optional()
            .meta({ description: 'An empty list clears the field.' }),
        })
        .meta({ id: 'DocumentChanges', example: { title: 'How a lighthouse works', tag_ids: [] } }),
    ),
  },
  responses: { 200: json(Document, 'The changed document.'), ...WRITE_REFUSALS },
})

const trash = createRoute({
  method: 'delete',
  path: '/documents/{id}',
  operationId: 'trashDocument',
  tags: ['Documents'],
  summary: 'Move a document to the trash',
  description:
    "It's permanently deleted after 30 days, or as a retention rule of the library says. Keys can't delete permanently.",
  ...needs('documents:write'),
  request: { params: IdParameter },
  responses: { 200: json(Document, 'The document, with `deleted_at`.'), ...WRITE_REFUSALS },
})

const restore = createRoute({
  method: 'post',
  path: '/documents/{id}/restore',
  operationId: 'restoreDocument',
  tags: ['Documents'],
  summary: 'Restore a document from the trash',
  ...needs('documents:write'),
  request: { params: IdParameter },
  responses: { 200: json(Document, 'The document.'), ...WRITE_REFUSALS },
})

const listTrash = createRoute({
  method: 'get',
  path: '/trash',
  operationId: 'listTrash',
  tags: ['Documents'],
  summary: 'List the trash',
  description: 'Most recently trashed first.',
  ...needs('documents:write'),
  request: { query: z.strictObject(Paging) },
  responses: { 200: json(pageOf(Document), 'A page of documents.'), ...READ_REFUSALS },
})

const ShelfPlace = z.object({ value: z.union([z.string(), z.number()]).nullable(), id: z.guid() })
/** Seconds for which a signed file address is valid. */
const ADDRESS_LASTS = 300

export function addDocuments(api: Api): void {
  api.openapi(list, async (c) => {
    const { limit, cursor, sort, order, ...query } = c.req.valid('query')
    const field = sort.includes('-') ? sort : null
    if (field && !(query.collection && query.direct === 'true'))
      throw new Problem(
        'invalid_request',
        'The order of a field is that of one collection: send `collection` and `direct=true`, too.',
      )
    const filters = filtersOf(query)
    const isDescending = order === undefined ? sort.endsWith('_at') : order === 'desc'
    const asked = [filters, sort, isDescending]
    const after = openCursor(cursor, asked, ShelfPlace)
    const rows = await read(c, async (sql) =>
      documentsOf(
        await sql<{ document: unknown; place: unknown; total: number | null }[]>`
          select s.place, s.total, ${documentJson(sql)} as document
          from private.api_shelf(${JSON.stringify(filters)}::text::jsonb, ${field}, ${field ? 'created_at' : sort}, ${isDescending},
            ${after && JSON.stringify(after)}::text::jsonb, ${limit + 1}) s
          join public.documents d on d.id = s.document_id order by s.n`,
      ),
    )
    const page = cutPage(rows, limit, ({ place }) => place, asked)
    const total = after === null ? (rows[0]?.total ?? 0) : null
    return c.json({ ...page, data: page.data.map(({ document }) => document), total }, 200)
  })

  api.openapi(get, async (c) => c.json(await read(c, (sql) => documentOf(sql, c.req.valid('param').id)), 200))

  api.openapi(text, async (c) => {
    const { id } = c.req.valid('param')
    const { limit, cursor } = c.req.valid('query')
    const after = openCursor(cursor, id, z.number().int())
    return c.json(await read(c, (sql) => textOf(sql, id, after ?? -1, limit)), 200)
  })

  api.openapi(file, async (c) => {
    const [version] = await read(
      c,
      (sql) => sql<{ storage_path: string; file_name: string | null; mime_type: string }[]>`
        select v.storage_path, v.file_name, v.mime_type from public.documents d join public.versions v on v.id = d.current_version_id
        where d.id = ${c.req.valid('param').id} and v.storage_path is not null`,
    )
    const { storage_path, file_name, mime_type } = found(version, 'file')
    const { data, error } = await serviceClient().storage.from('documents').createSignedUrl(storage_path, ADDRESS_LASTS)
    if (error) throw error
    return c.json({ url: data.signedUrl, file_name, media_type: mime_type, expires_in: ADDRESS_LASTS }, 200)
  })

  api.openapi(change, async (c) => {
    const { id } = c.req.valid('param')
    const changes = c.req.valid('json')
    const changed = await write(c, async (sql) => {
      await update(
        sql,
        id,
        sql`
        title = coalesce(${changes.title ?? null}, title), summary = coalesce(${changes.summary ?? null}, summary),
        reference = case when ${changes.reference !== undefined} then ${jsonOrNull(changes.reference)}::text::jsonb else reference end,
        collection_id = case when ${changes.collection_id !== undefined} then ${changes.collection_id ?? null}::uuid else collection_id end`,
      )
      if (changes.tag_ids) await setTags(sql, id, changes.tag_ids)
      for (const { field_id, values } of changes.fields ?? [])
        await sql`select private.api_set_field(${id}, ${field_id}, ${JSON.stringify(values)}::text::jsonb)`
      return documentOf(sql, id)
    })
    return c.json(changed, 200)
  })

  api.openapi(trash, async (c) => c.json(await moved(c.req.valid('param').id, true, (work) => write(c, work)), 200))
  api.openapi(restore, async (c) => c.json(await moved(c.req.valid('param').id, false, (work) => write(c, work)), 200))

  api.openapi(listTrash, async (c) => {
    const { limit, cursor } = c.req.valid('query')
    const after = openCursor(cursor, 'trash', TimePlace)
    const rows = await read(c, async (sql) =>
      documentsOf(
        await sql<{ document: unknown }[]>`
          select ${documentJson(sql)} as document from public.documents d
          where d.deleted_at is not null
            and (${after === null} or (d.deleted_at, d.id) < (${after?.[0] ?? null}::text::timestamptz, ${after?.[1] ?? null}::uuid))
          order by d.deleted_at desc, d.id desc limit ${limit + 1}`,
      ),
    )
    const page = cutPage(rows, limit, ({ document }) => [document.deleted_at, document.id], 'trash')
    return c.json({ ...page, data: page.data.map(({ document }) => document) }, 200)
  })
}

async function moved(
  id: string,
  isTrashed: boolean,
  run: (work: (sql: Sql) => Promise<Document>) => Promise<Document>,
) {
  return run(async (sql) => {
    await update(sql, id, isTrashed ? sql`deleted_at = now()` : sql`deleted_at = null`)
    return documentOf(sql, id)
  })
}

const jsonOrNull = (value: unknown) => (value == null ? null : JSON.stringify(value))

export const setReference = (sql: Sql, id: string, reference: z.infer<typeof Reference>): Promise<void> =>
  update(sql, id, sql`reference = ${JSON.stringify(reference)}::text::jsonb`)

/** @throws {Problem} if the key can't see or change the document. */
async function update(sql: Sql, id: string, assignments: ReturnType<Sql>): Promise<void> {
  const { count } = await sql`update public.documents set ${assignments} where id = ${id}`
  if (count > 0) return
  const [seen] = await sql`select from public.documents where id = ${id}`
  found(seen, 'document')
  throw new Problem('not_allowed', 'The owner of this key may read this document, but not change it.')
}

export async function setTags(sql: Sql, id: string, tags: readonly string[]): Promise<void> {
  await sql`delete from public.document_tags where document_id = ${id} and tag_id <> all (${[...tags]}::uuid[])`
  await sql`
    insert into public.document_tags (library_id, document_id, tag_id)
    select d.library_id, d.id, tag from public.documents d, (select distinct unnest(${[...tags]}::uuid[]) as tag) t
    where d.id = ${id} and not exists (select from public.document_tags had where had.document_id = d.id and had.tag_id = tag)`
}

async function textOf(sql: Sql, id: string, after: number, limit: number): Promise<z.infer<typeof DocumentText>> {
  const [document] = await sql<{ version: string | null; body: string | null }[]>`
    select v.id as version, v.body from public.documents d left join public.versions v on v.id = d.current_version_id where d.id = ${id}`
  const { version, body } = found(document, 'document')
  const passages =
    body === null
      ? await sql<{ id: string; page: number | null; heading: string | null; content: string; ordinal: number }[]>`
          select id, page, heading, content, ordinal from public.passages
          where version_id = ${version} and ordinal > ${after} order by ordinal limit ${limit + 1}`
      : []
  const { data, next_cursor } = cutPage(passages, limit, ({ ordinal }) => ordinal, id)
  return {
    document_id: id,
    format: body === null ? 'passages' : 'markdown',
    markdown: body,
    passages: data.map(({ ordinal: _, ...passage }) => passage),
    next_cursor,
  }
}
