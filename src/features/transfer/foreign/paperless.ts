import * as z from 'zod/mini'
import { formatDate } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import type { Export, ExportedDocument, ExportedField } from '../manifest.ts'
import { documentOf, manifestOf, remarkOf, versionAt } from './manifest-of.ts'

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

const DocumentFields = z.object({
  title: z.string(),
  created: z.nullish(z.string()),
  correspondent: z.nullish(z.number()),
  document_type: z.nullish(z.number()),
  tags: z.array(z.number()),
  original_filename: z.nullish(z.string()),
  archive_serial_number: z.nullish(z.number()),
  checksum: z.nullish(z.string()),
  deleted_at: z.nullish(z.string()),
})
const NoteFields = z.object({
  note: z.string(),
  document: z.number(),
  created: z.string(),
  user: z.nullish(z.number()),
})
const Option = z.union([z.string(), z.object({ id: z.string(), label: z.string() })])
const CustomField = z.object({
  name: z.string(),
  data_type: z.string(),
  extra_data: z.nullish(z.object({ select_options: z.optional(z.array(z.nullable(Option))) })),
})
/** The value is in the one column that isn't null. */
const CustomValue = z.looseObject({ document: z.number(), field: z.number(), deleted_at: z.nullish(z.string()) })

/** The collection of everything. Its fields apply to the collections of correspondents in it. */
const ROOT = 'paperless'
const correspondentId = (name: string) => `paperless correspondent ${name}`

/** Reads a Paperless-ngx export (`document_exporter`): correspondents become collections in one with the custom fields,
 *  tags and document types become tags, notes comments. A scan's original is the first version, the recognized PDF the
 *  second.
 *  @returns undefined for other ZIPs. */
export function fromPaperless(files: Export['files']): Export | undefined {
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
  const custom = customFields(of('customfield'), of('customfieldinstance'), (pk) => nameOf('document', pk))
  const documents = of('document').flatMap(({ pk, fields, [FILE]: file, [ARCHIVE]: archive }) => {
    const document = DocumentFields.safeParse(fields)
    if (!document.success || !file || document.data.deleted_at) return []
    const { title, created, correspondent, document_type, tags, original_filename, checksum } = document.data
    const sender = nameOf('correspondent', correspondent)
    return documentOf({
      // Primary keys are only unique within one installation.
      id: `paperless ${checksum ?? `${pk} ${title}`}`,
      kind: 'file',
      title,
      ...datedOn(created, title),
      fields: custom.valuesOf(Number(pk), document.data.archive_serial_number),
      created_at: created ?? '',
      collection_id: sender ? correspondentId(sender) : ROOT,
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
  const senders = new Set(of('correspondent').map(({ pk }) => nameOf('correspondent', Number(pk))))
  const collections = [...senders]
    .map((name) => ({ id: correspondentId(name), name, parent_id: ROOT }))
    .filter(({ id }) => documents.some(({ collection_id }) => collection_id === id))
  const manifest = manifestOf({
    collections: [{ id: ROOT, name: 'Paperless', parent_id: null }, ...collections],
    tags: [],
    documents,
    fields: custom.fields(),
  })
  return { manifest, files, problems: [] }
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

/** Custom fields and the archive serial number, which finds the paper, become fields. */
function customFields(definitions: readonly Row[], instances: readonly Row[], titleOf: (document: number) => string) {
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
  const use = (id: string, name: string, kind: ExportedField['kind'], value: string | number) => {
    const names = used.get(id)?.options.map((option) => option.name) ?? []
    const all = kind === 'choice' ? [...new Set([...names, String(value)])] : []
    const options = all.map((option) => ({ name: option, color: 'slate' }))
    used.set(id, { id, collection_id: ROOT, name, kind, takes_several: false, options })
    return { field_id: id, values: [value] }
  }
  return {
    valuesOf(document: number, serial: number | null | undefined): NonNullable<ExportedDocument['fields']> {
      const own = (values.get(document) ?? []).flatMap(({ field: pk, deleted_at, ...columns }) => {
        const field = defined.get(pk)
        const entry = Object.entries(columns).find(([name, value]) => name.startsWith('value_') && value !== null)
        if (!field || !entry || deleted_at) return []
        if (field.data_type === 'monetary') {
          // Only amounts in the same currency can be compared.
          const [, currency = '', amount] = /^([A-Z]{3})?(-?\d+(?:\.\d+)?)$/.exec(String(entry[1])) ?? []
          const name = currency ? `${field.name} (${currency})` : field.name
          if (amount) return use(`${pk} ${currency}`, name, 'number', Number(amount))
        }
        const options = (field.extra_data?.select_options ?? []).flatMap((option) => option ?? [])
        const value = textOf(entry[1], options, titleOf)
        return value === undefined || value === ''
          ? []
          : use(String(pk), field.name, KINDS[field.data_type] ?? 'text', value)
      })
      return typeof serial === 'number' ? [...own, use('serial', t('Archive serial number'), 'number', serial)] : own
    },
    fields: () => [...used.values()],
  }
}

function textOf(
  value: unknown,
  options: readonly z.infer<typeof Option>[],
  titleOf: (document: number) => string,
): string | number | undefined {
  if (typeof value === 'boolean') return value ? t('Yes') : t('No')
  // Links to other documents.
  if (Array.isArray(value)) return value.map((document) => titleOf(Number(document))).join(', ')
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  // Older versions refer to options by position.
  const option = options.find((one, at) => (typeof one === 'string' ? at === value : one.id === value))
  if (option !== undefined) return typeof option === 'string' ? option : option.label
  return value
}

function namesOf(rows: readonly Row[]): (model: string, pk: number | null | undefined) => string {
  const names = new Map<string, string>()
  for (const { model, pk, fields } of rows) {
    const { name = fields.username ?? fields.title } = fields
    if (typeof name === 'string') names.set(`${model.split('.')[1]} ${pk}`, name)
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
