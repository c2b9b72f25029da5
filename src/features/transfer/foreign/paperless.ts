import * as z from 'zod/mini'
import { formatDate } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import type { ExportedDocument, ExportedField } from '../manifest.ts'
import { documentOf, type ForeignExport, manifestOf, remarkOf, versionAt } from './manifest-of.ts'

const MANIFEST = 'manifest.json'
const FILE = '__exported_file_name__'
/** The PDF with recognized text that Paperless creates from a scan. */
const ARCHIVE = '__exported_archive_name__'

/** A row from Django's serializer: Paperless exports all tables in one list. */
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
const Option = z.union([z.string(), z.object({ id: z.string(), label: z.string() })])
const CustomField = z.object({
  name: z.string(),
  data_type: z.string(),
  extra_data: z.nullish(z.object({ select_options: z.optional(z.array(z.nullable(Option))) })),
})
/** The value is in the one column that isn't null. */
const CustomValue = z.looseObject({ document: z.number(), field: z.number() })

/** Reads a Paperless-ngx export (`document_exporter`): correspondents become collections with their custom fields, tags
 *  and document types become tags, notes comments. A scan's original is the first version, the recognized PDF the
 *  second.
 *  @returns undefined for other ZIPs. */
export function fromPaperless(files: Map<string, Uint8Array>): ForeignExport | undefined {
  const listed = files.get(MANIFEST)
  const rows = listed && Rows.safeParse(parsed(listed))
  if (!rows?.success || !rows.data.some(({ model }) => model === 'documents.document')) return undefined
  // `--split-manifest` stores each document's notes and fields next to its file.
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
  const custom = customFields(of('customfield'), of('customfieldinstance'))
  const documents = of('document').flatMap(({ pk, fields, [FILE]: file, [ARCHIVE]: archive }) => {
    const document = DocumentFields.safeParse(fields)
    if (!document.success || !file || document.data.deleted_at) return []
    const { title, created, correspondent, document_type, tags, original_filename } = document.data
    return documentOf({
      id: String(pk),
      kind: 'file',
      title,
      ...datedOn(created, title),
      fields: custom.valuesOf(Number(pk), correspondent ?? null),
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
  const fields = custom.lost()
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
  return { manifest: manifestOf({ collections, tags: [], documents, fields: custom.fields() }), files, problems }
}

/** Paperless dates are days without a time zone, although some exports include a time. */
function datedOn(created: string | null | undefined, title: string): Partial<ExportedDocument> {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(created ?? '')?.[0]
  if (day === undefined) return {}
  const issued = { 'date-parts': [day.split('-').map(Number)] }
  return {
    summary: t('Dated {date}', { date: formatDate(`${day}T12:00:00`) }),
    reference: { type: 'document', title, issued },
  }
}

const KINDS: Readonly<Record<string, ExportedField['kind']>> = {
  integer: 'number',
  float: 'number',
  date: 'date',
  select: 'choice',
  boolean: 'choice',
}

/** Custom fields become fields of the collections whose documents have them. */
function customFields(definitions: readonly Row[], instances: readonly Row[]) {
  const defined = new Map(
    definitions.flatMap(({ pk, fields }) => {
      const field = CustomField.safeParse(fields)
      return field.success ? [[Number(pk), field.data] as const] : []
    }),
  )
  const values = Map.groupBy(
    instances.flatMap(({ fields }) => CustomValue.safeParse(fields).data ?? []),
    ({ document }) => document,
  )
  const used = new Map<string, ExportedField>()
  let kept = 0
  return {
    valuesOf(document: number, correspondent: number | null): NonNullable<ExportedDocument['fields']> {
      return (values.get(document) ?? []).flatMap(({ document: _, field: pk, ...columns }) => {
        const field = defined.get(pk)
        const found = Object.entries(columns).find(([name, value]) => name.startsWith('value_') && value !== null)
        if (!field || !found || correspondent === null) return []
        const options = (field.extra_data?.select_options ?? []).flatMap((option) => option ?? [])
        const value = textOf(found[1], options)
        if (value === undefined) return []
        const id = `${correspondent} ${pk}`
        const kind = KINDS[field.data_type] ?? 'text'
        const before = used.get(id)
        const names = before?.options.map(({ name }) => name) ?? []
        const all = kind === 'choice' ? [...new Set([...names, String(value)])] : []
        used.set(id, {
          id,
          collection_id: String(correspondent),
          name: field.name,
          kind,
          takes_several: false,
          options: all.map((name) => ({ name, color: 'slate' })),
        })
        kept += 1
        return [{ field_id: id, values: [value] }]
      })
    },
    fields: () => [...used.values()],
    /** Values that can't be kept: documents without a correspondent, and document links. */
    lost: () => instances.length - kept,
  }
}

function textOf(value: unknown, options: readonly z.infer<typeof Option>[]): string | number | undefined {
  if (typeof value === 'boolean') return value ? t('Yes') : t('No')
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  // Older versions refer to options by position.
  const option = options.find((one, at) => (typeof one === 'string' ? at === value : one.id === value))
  if (option !== undefined) return typeof option === 'string' ? option : option.label
  return typeof value === 'string' ? value.replace(/^([A-Z]{3})(-?\d[\d.]*)$/, '$2 $1') : value
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
