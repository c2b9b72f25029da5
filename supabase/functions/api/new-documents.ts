import { randomUUID } from 'node:crypto'
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Document, Id, Reference } from '../_shared/api/objects.ts'
import { serviceClient } from '../_shared/clients.ts'
import { MAX_FILE, MAX_NOTE, MAX_TITLE } from '../_shared/facts.ts'
import { endingOf, mediaTypeOf } from '../_shared/file-kinds.ts'
import { line } from '../_shared/mail/user-text.ts'
import { sha256 } from '../_shared/sha256.ts'
import type { Sql } from './database.ts'
import { documentOf } from './document-rows.ts'
import { setReference, setTags } from './documents.ts'
import { formFileName } from './form-file-name.ts'
import { type Api, create, IdempotencyHeader, json, jsonBody, needs, read, WRITE_REFUSALS } from './operation.ts'
import { Problem } from './problem.ts'

/** Bytes of a file sent in a request, which is held in memory. */
export const MAX_REQUEST_FILE_BYTES = 20_971_520

const FileName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^/\\\0]+$/, 'A file name has no slashes.')
  .meta({ description: 'Its extension determines the type.', example: 'lighthouse.pdf' })
const Title = z.string().trim().min(1).max(MAX_TITLE)
const Place = {
  collection_id: Id.nullable()
    .optional()
    .meta({ description: 'The collection to add it to; without it, the top of the library.' }),
  tag_ids: z.array(Id).max(100).optional(),
}
const Given = { ...Place, reference: Reference.optional() }

const NewDocument = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('note'),
      title: Title,
      text: z
        .string()
        .refine((text) => new TextEncoder().encode(text).length <= MAX_NOTE, 'A note has at most 1 MB of text.')
        .optional()
        .meta({ description: 'Markdown, at most 1 MB.' }),
      ...Given,
    }),
    z.strictObject({
      kind: z.literal('link'),
      url: z
        .url({ protocol: /^https?$/ })
        .max(2048)
        .meta({ example: 'https://example.org/lighthouses' }),
      title: Title.optional().meta({ description: "Without it, the page's title is used." }),
      ...Given,
    }),
    z.strictObject({
      kind: z.literal('file'),
      upload_id: Id.meta({ description: 'The id of a completed upload (createUpload).' }),
      file_name: FileName,
      title: Title.optional().meta({ description: "Without it, the file's name is used." }),
      ...Given,
    }),
  ])
  .meta({ id: 'NewDocument', example: { kind: 'note', title: 'Light', text: 'A lighthouse shows where the land is.' } })
type NewDocument = z.infer<typeof NewDocument>

const add = createRoute({
  method: 'post',
  path: '/documents',
  operationId: 'createDocument',
  tags: ['Documents'],
  summary: 'Create a note, a link, or a document from an uploaded file',
  ...needs('documents:write'),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(NewDocument),
  },
  responses: { 201: json(Document, 'The new document; it is indexed in the background.'), ...WRITE_REFUSALS },
})

const FileForm = z.object({
  file: z
    .custom<File>((value) => value instanceof File, 'Send the file in the part `file`.')
    .meta({ type: 'string', format: 'binary', description: 'At most 20 MB; for larger files see createUpload.' }),
  title: Title.optional(),
  collection_id: Id.optional(),
  tag_ids: z
    .preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(Id).max(100))
    .optional()
    .meta({ description: 'Can be repeated.' }),
})

const addFile = createRoute({
  method: 'post',
  path: '/documents/file',
  operationId: 'createFile',
  tags: ['Documents'],
  summary: 'Create a document from a file in the request',
  ...needs('documents:write'),
  request: {
    headers: IdempotencyHeader,
    body: { required: true, content: { 'multipart/form-data': { schema: FileForm } } },
  },
  responses: { 201: json(Document, 'The new document; it is indexed in the background.'), ...WRITE_REFUSALS },
})

const Upload = z
  .object({
    id: Id,
    url: z
      .url()
      .meta({ description: 'PUT the bytes there, with the media type as Content-Type and without your key.' }),
    media_type: z.string(),
    largest: z.number().int().meta({ description: 'Bytes.' }),
    expires_in: z.number().int().meta({ description: 'Seconds.' }),
  })
  .meta({ id: 'Upload' })

const upload = createRoute({
  method: 'post',
  path: '/uploads',
  operationId: 'createUpload',
  tags: ['Documents'],
  summary: 'Get an address for uploading a file',
  description:
    'For files up to 50 MB. After the upload, create the document with `upload_id`; otherwise the file is deleted after a day.',
  ...needs('documents:write'),
  request: {
    body: jsonBody(
      z.strictObject({ file_name: FileName, collection_id: Place.collection_id }).meta({ id: 'NewUpload' }),
    ),
  },
  responses: { 201: json(Upload, 'The address.'), ...WRITE_REFUSALS },
})

/** Seconds, like the storage's signed upload addresses. */
const UPLOAD_LASTS = 7200

export function addNewDocuments(api: Api): void {
  api.openapi(add, async (c) => {
    const input = c.req.valid('json')
    const library = c.get('key').library_id
    const added = await create(c, input, Document, async (sql) => {
      const id = await insert(sql, library, input)
      if (input.tag_ids) await setTags(sql, id, input.tag_ids)
      if (input.reference) await setReference(sql, id, input.reference)
      return documentOf(sql, id)
    })
    return c.json(added, 201)
  })

  api.use('/documents/file', async (c, next) => {
    const name = await formFileName(c.req.raw.clone())
    if (name) c.set('fileName', name)
    await next()
  })
  api.openapi(addFile, async (c) => {
    const { file, title, collection_id, tag_ids } = c.req.valid('form')
    const { library_id: library } = c.get('key')
    const file_name = checkedName(c.get('fileName') ?? file.name)
    const bytes = new Uint8Array(await file.arrayBuffer())
    const hash = sha256(bytes)
    await read(c, (sql) => mayAdd(sql, library, collection_id))
    const id = randomUUID()
    const path = pathOf(library, id)
    const media = mediaTypeOf(endingOf(file_name))
    const stored = await serviceClient().storage.from('documents').upload(path, bytes, { contentType: media })
    if (stored.error) throw new Problem('not_accepted', `The storage does not take this file: ${stored.error.message}`)
    let isKept = false
    try {
      const added = await create(c, [file_name, hash, title, collection_id, tag_ids], Document, async (sql) => {
        await sql`select public.add_file(${library}, ${id}, ${path}, ${file_name}, ${title ?? null}, ${collection_id ?? null}, ${hash})`
        if (tag_ids) await setTags(sql, id, tag_ids)
        return documentOf(sql, id)
      })
      isKept = added.id === id
      return c.json(added, 201)
    } finally {
      if (!isKept) await serviceClient().storage.from('documents').remove([path])
    }
  })

  api.openapi(upload, async (c) => {
    const { file_name, collection_id } = c.req.valid('json')
    const { library_id: library } = c.get('key')
    await read(c, (sql) => mayAdd(sql, library, collection_id ?? undefined))
    const id = randomUUID()
    const { data, error } = await serviceClient().storage.from('documents').createSignedUploadUrl(pathOf(library, id))
    if (error) throw error
    return c.json(
      {
        id,
        url: data.signedUrl,
        media_type: mediaTypeOf(endingOf(file_name)),
        largest: MAX_FILE,
        expires_in: UPLOAD_LASTS,
      },
      201,
    )
  })
}

const pathOf = (library: string, upload: string) => `${library}/${upload}/${upload}/file`

function checkedName(name: string): string {
  const checked = FileName.safeParse(name)
  if (checked.success) return checked.data
  throw new Problem('invalid_request', 'The part `file` needs a file name of 1 to 255 characters without slashes.')
}

async function insert(sql: Sql, library: string, wanted: NewDocument): Promise<string> {
  const collection = wanted.collection_id ?? null
  const id = wanted.kind === 'file' ? wanted.upload_id : randomUUID()
  switch (wanted.kind) {
    case 'note':
      await sql`select public.add_note(${library}, ${wanted.title}, ${wanted.text ?? ''}, ${collection}, ${id})`
      return id
    case 'link':
      await sql`
        insert into public.documents (id, library_id, collection_id, kind, url, title)
        values (${id}, ${library}, ${collection}, 'link', ${wanted.url}, ${wanted.title ?? wanted.url.slice(0, MAX_TITLE)})`
      return id
    case 'file':
      await sql`
        select public.add_file(${library}, ${id}, ${pathOf(library, id)}, ${line(wanted.file_name)}, ${wanted.title ?? null}, ${collection})`
      return id
  }
}

/** Checks before bytes are stored: there is no row yet for row security to guard.
 *  @throws {Problem} if the key may not add documents there. */
async function mayAdd(sql: Sql, library: string, collection: string | undefined): Promise<void> {
  const [answer] = await sql<{ may: boolean }[]>`
    select ${library}::uuid in (select private.library_ids('editor'))
      or coalesce(${collection ?? null}::uuid in (select private.granted_collections('editor')), false) as may`
  if (!answer?.may) throw new Problem('not_allowed', 'The owner of this key may not add documents there.')
}
