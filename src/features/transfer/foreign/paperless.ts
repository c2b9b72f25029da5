import * as z from 'zod/mini'
import { formatDate } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { documentOf, type ForeignExport, manifestOf, remarkOf, versionAt } from './manifest-of.ts'

const MANIFEST = 'manifest.json'
const FILE = '__exported_file_name__'
/** The PDF with recognized text that Paperless made of a scan. */
const ARCHIVE = '__exported_archive_name__'

/** A row of Django's serializer: Paperless exports all of its tables in one list. */
const Row = z.object({
  model: z.string(),
  pk: z.union([z.number(), z.string()]),
  fields: z.record(z.string(), z.unknown()),
  [FILE]: z.optional(z.string()),
  [ARCHIVE]: z.optional(z.string()),
})
type Row = z.infer<typeof Row>
const Rows = z.array(Row)

const Named = z.object({ name: z.string() })
const DocumentFields = z.object({
  title: z.string(),
  created: z.nullish(z.string()),
  correspondent: z.nullish(z.number()),
  document_type: z.nullish(z.number()),
  tags: z.array(z.number()),
  original_filename: z.nullish(z.string()),
  deleted_at: z.nullish(z.string()),
})
const NoteFields = z.object({
  note: z.string(),
  document: z.number(),
  created: z.string(),
  user: z.nullish(z.number()),
})
const UserFields = z.object({ username: z.string() })

/** Reads an export of Paperless-ngx (`document_exporter`): a collection for each correspondent; tags and types of documents become
 *  tags, notes comments. Of a scan the original is the first version and the PDF with recognized text the second one.
 *  @returns undefined for any other ZIP. */
export function fromPaperless(files: Map<string, Uint8Array>): ForeignExport | undefined {
  const listed = files.get(MANIFEST)
  const rows = listed && Rows.safeParse(parsed(listed))
  if (!rows?.success || !rows.data.some(({ model }) => model === 'documents.document')) return undefined
  // `--split-manifest` puts each document's notes and fields beside its file.
  const all = [...rows.data, ...splitRows(files)]
  const of = (model: string) => all.filter((row) => row.model === `documents.${model}`)
  const nameOf = namesOf(all)
  const notes = Map.groupBy(
    of('note').flatMap(({ pk, fields }) => {
      const note = NoteFields.safeParse(fields)
      return note.success ? [{ pk: String(pk), ...note.data }] : []
    }),
    ({ document }) => document,
  )
  const problems: ForeignExport['problems'] = []
  const documents = of('document').flatMap(({ pk, fields, [FILE]: file, [ARCHIVE]: archive }) => {
    const document = DocumentFields.safeParse(fields)
    if (!document.success || !file || document.data.deleted_at) return []
    const { title, created, correspondent, document_type, tags, original_filename } = document.data
    return documentOf({
      id: String(pk),
      kind: 'file',
      title,
      summary: created ? t('Of {date}', { date: formatDate(created) }) : '',
      created_at: created ?? '',
      collection_id: correspondent == null ? null : String(correspondent),
      tags: [...tags.map((tag) => nameOf('tag', tag)), nameOf('documenttype', document_type)].filter(
        (name) => name !== '',
      ),
      versions: [
        versionAt(file, 1, original_filename ?? null),
        ...(archive && files.has(archive) ? [versionAt(archive, 2, `${title}.pdf`)] : []),
      ],
      comments: (notes.get(Number(pk)) ?? []).map(({ pk: id, note, created: at, user }) =>
        remarkOf(id, note, { by: nameOf('user', user) || null, at }),
      ),
    })
  })
  const fields = of('customfieldinstance').length
  if (fields > 0)
    problems.push({
      title: 'Paperless',
      reason: t(
        '{fields, plural, one {# value of a custom field was not imported.} other {# values of custom fields were not imported.}}',
        { fields },
      ),
    })
  const used = new Set(documents.map(({ collection_id }) => collection_id))
  const collections = of('correspondent')
    .map(({ pk }) => ({ id: String(pk), name: nameOf('correspondent', Number(pk)), parent_id: null }))
    .filter(({ id, name }) => used.has(id) && name !== '')
  return { manifest: manifestOf({ collections, tags: [], documents }), files, problems }
}

function namesOf(rows: readonly Row[]): (model: string, pk: number | null | undefined) => string {
  const names = new Map<string, string>()
  for (const { model, pk, fields } of rows) {
    const name = Named.safeParse(fields).data?.name ?? UserFields.safeParse(fields).data?.username
    if (name !== undefined) names.set(`${model.split('.')[1]} ${pk}`, name)
  }
  return (model, pk) => names.get(`${model} ${pk}`) ?? ''
}

function splitRows(files: ReadonlyMap<string, Uint8Array>): Row[] {
  const lists = [...files].filter(([path]) => path.endsWith('-manifest.json'))
  return lists.flatMap(([, bytes]) => Rows.safeParse(parsed(bytes)).data ?? [])
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
