import Papa from 'papaparse'
import type { ExportedDocument, ExportedField } from '../manifest.ts'

type Values = NonNullable<ExportedDocument['fields']>
type Column = { id: string; name: string; texts: Map<string, string> }

const ID = / ?[0-9a-f]{32}/g
/** A database's path without ids, which newer exports omit in folder names. */
export const databaseOf = (path: string): string => path.replace(/(_all)?\.csv$/, '').replaceAll(ID, '')

const NUMBER = /^[$€£¥]? ?-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)? ?%?$/
const DATE = /^(?:[A-Z][a-z]+ \d{1,2}, \d{4}|\d{4}[-/]\d{2}[-/]\d{2})/
/** Columns treated as choices even if no value repeats. */
const CHOICES = /^(?:status|state|stage|type|kind|priority|category|area|tags?|labels?)$/i
const MAX_OPTIONS = 50
const MAX_OPTION_LENGTH = 60
const MAX_TEXT_LENGTH = 1000

/** A Notion database: its columns become fields of the collection with its pages.
 *  @param collection The collection's id. */
export function openDatabase(csv: string, collection: string) {
  const { data } = Papa.parse<string[]>(csv.replace(/^\uFEFF/, ''), { preview: 1 })
  const [, ...names] = data[0] ?? []
  const columns = new Map(
    names
      .filter(Boolean)
      .map((name): [string, Column] => [name, { id: `${collection} ${name}`, name, texts: new Map() }]),
  )
  return {
    /** Reads the properties at the top of a page. @returns the remaining text. */
    take(page: string, text: string): string {
      const lines = text.split('\n')
      let column: Column | undefined
      let end = 0
      for (const line of lines) {
        const colon = line.indexOf(': ')
        const named = columns.get(line.slice(0, colon === -1 ? line.replace(/:$/, '').length : colon))
        if (line.trim() === '' || (!named && !column)) break
        column = named ?? column
        const value = named ? line.slice(named.name.length + 1).trim() : line
        if (column) column.texts.set(page, [column.texts.get(page), value].filter(Boolean).join('\n'))
        end += 1
      }
      return lines.slice(end).join('\n').replace(/^\n+/, '')
    },
    /** Returns the fields and each page's values. Call it after all pages are read. */
    fields(): { fields: ExportedField[]; valuesOf: (page: string) => Values } {
      const typed = [...columns.values()]
        .filter(({ texts }) => texts.size > 0)
        .map((column) => typeOf(column, collection))
      return {
        fields: typed.map(({ field }) => field),
        valuesOf: (page) =>
          typed.flatMap(({ field, read }) => {
            const values = read(page)
            return values.length > 0 ? [{ field_id: field.id, values }] : []
          }),
      }
    },
  }
}

/** Infers a column's type from its values, which Notion doesn't export. */
function typeOf({ id, name, texts }: Column, collection: string) {
  const all = [...texts.values()]
  const as = (kind: ExportedField['kind'], read: (text: string) => (string | number)[], options: string[] = []) => ({
    field: {
      id,
      collection_id: collection,
      name,
      kind,
      takes_several: kind === 'choice' && all.some((text) => read(text).length > 1),
      options: options.map((option) => ({ name: option, color: 'slate' })),
    },
    read: (page: string) => {
      const text = texts.get(page)
      return text ? read(text) : []
    },
  })
  if (all.every((text) => NUMBER.test(text))) return as('number', (text) => [Number(text.replaceAll(/[^\d.-]/g, ''))])
  if (all.every((text) => dayOf(text) !== '')) return as('date', (text) => [dayOf(text)])
  const split = (text: string) => text.split(/, */)
  const parts = all.flatMap(split)
  const options = [...new Set(parts)]
  const isShort =
    options.length <= MAX_OPTIONS && options.every(({ length }) => length > 0 && length <= MAX_OPTION_LENGTH)
  if (isShort && !all.some((text) => /[\n[\]]/.test(text)) && (options.length < parts.length || CHOICES.test(name)))
    return as('choice', split, options)
  return as('text', (text) => [text.slice(0, MAX_TEXT_LENGTH)])
}

/** Converts "March 3, 2024 10:00 (UTC) → …" to `2024-03-03`, the first day of a range. Empty if it isn't a date. */
function dayOf(text: string): string {
  const [day = ''] = DATE.exec(text) ?? []
  const date = new Date(`${day.replaceAll('/', '-')}${/^\d/.test(day) ? '' : ' UTC'}`)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10)
}

export function withoutCallouts(text: string): string {
  const [before = '', ...rest] = text.split('<aside>')
  return rest.reduce((done, part) => {
    const end = part.indexOf('</aside>')
    if (end === -1) return `${done}<aside>${part}`
    const quoted = part
      .slice(0, end)
      .trim()
      .split('\n')
      .map((line) => `> ${line}`.trimEnd())
    return `${done}${quoted.join('\n')}\n${part.slice(end + '</aside>'.length)}`
  }, before)
}
