import { MAX_PICTURE_BYTES, pictureName } from '../../../domain/note-pictures.ts'
import { documentAddress } from '../../../domain/note-references.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { uuidOf } from '../../../lib/sha256.ts'
import type { Export, ExportedDocument } from '../manifest.ts'
import { endingOf, truncateName } from '../paths.ts'
import { documentOf, manifestOf, versionAt } from './manifest-of.ts'
import { databaseOf, openDatabase, withoutCallouts } from './notion-database.ts'

/** The id that Notion appends to names of pages, folders and tables. */
const PAGE_ID = / ?[0-9a-f]{32}(?=$|_all\.csv$|\.(?:md|csv|html)$)/
const PAGE = /[0-9a-f]{32}\.md$/
const TABLE = /[0-9a-f]{32}(_all)?\.csv$/
/** A Markdown link or picture inside the export. Lengths are limited, because each bracket starts a search. */
const LINK =
  /(!?)\[([^\]\n]{0,1000})\]\((?![a-z][a-z+.-]{0,30}:|[/#])([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500}){0,10})\)/gi

/** A placeholder for the library, which the importer replaces. */
const HERE = '00000000-0000-0000-0000-000000000000'

/** Reads a Notion export ("Markdown & CSV"): pages become linked notes, folders collections, and database columns
 *  fields. Pictures stay in their notes; other files and tables become documents.
 *  @returns undefined for other ZIPs. */
export async function fromNotion(entries: ReadonlyMap<string, Uint8Array>): Promise<Export | undefined> {
  const paths = [...entries.keys()]
  if (!paths.some((path) => PAGE.test(path))) return undefined
  // Notion exports a table twice: the view's rows, and all rows.
  const whole = new Set(
    paths.filter((path) => path.endsWith('_all.csv')).map((path) => path.replace('_all.csv', '.csv')),
  )
  const taken = paths.filter((path) => !whole.has(path))
  const ids = new Map<string, string>()
  // A page keeps its id when it moves.
  for (const path of taken) ids.set(path, await uuidOf(`notion ${PAGE.exec(path)?.[0] ?? path}`))
  for (const path of whole) ids.set(path, ids.get(path.replace('.csv', '_all.csv')) ?? '')
  const collections = new Map<string, { id: string; name: string; parent_id: string | null }>()
  const files = new Map<string, Uint8Array>()
  const documents: ExportedDocument[] = []
  /** Pictures belong to the notes that show them. */
  const shown = new Set<string>()

  const tables = new Map(taken.filter((path) => TABLE.test(path)).map((path) => [databaseOf(path), path]))
  const databases = new Map<string, ReturnType<typeof openDatabase>>()
  for (const path of taken.filter((one) => PAGE.test(one))) {
    const id = ids.get(path) ?? ''
    const { title, text } = headed(new TextDecoder().decode(entries.get(path)), path)
    const collection = place(path)
    const table = tables.get(databaseOf(collection ?? ''))
    if (table && collection && !databases.has(collection))
      databases.set(collection, openDatabase(new TextDecoder().decode(entries.get(table)), collection))
    const own = databases.get(collection ?? '')?.take(id, text) ?? text
    const body = withoutCallouts(own).replaceAll(LINK, (link, mark: string, words: string, address: string) => {
      const target = targetOf(path, address)
      const bytes = target === undefined ? undefined : entries.get(target)
      if (target === undefined || !bytes) return link
      const fits = mark !== '' && bytes.length <= MAX_PICTURE_BYTES
      const picture = fits ? pictureName(ids.get(target) ?? '', endingOf(target)) : undefined
      if (picture) {
        shown.add(target)
        files.set(`${id}/pictures/${picture}`, bytes)
        return `![${words}](pictures/${picture})`
      }
      return `[${words}](${documentAddress(HERE, ids.get(target) ?? '')})`
    })
    files.set(`${id}/page.md`, new TextEncoder().encode(body))
    documents.push(
      documentOf({ id, kind: 'note', title, collection_id: collection, versions: [versionAt(`${id}/page.md`)] }),
    )
  }
  for (const path of taken) {
    if (PAGE.test(path) || shown.has(path)) continue
    // Its rows are pages of a collection.
    if (TABLE.test(path) && [...databases.keys()].some((folder) => databaseOf(folder) === databaseOf(path))) continue
    const name = plainName(path)
    const title = TABLE.test(path) ? name.replace(/(_all)?\.csv$/, '') : name.replace(/\.[^.]*$/, '')
    files.set(path, entries.get(path) ?? new Uint8Array())
    documents.push(
      documentOf({
        id: ids.get(path) ?? '',
        kind: 'file',
        title: title || t('Untitled'),
        collection_id: place(path),
        versions: [versionAt(path, 1, TABLE.test(path) ? `${truncateName(title)}.csv` : name)],
      }),
    )
  }
  const typed = [...databases].map(([collection, database]) => ({ collection, ...database.fields() }))
  const manifest = manifestOf({
    collections: [...collections.values()],
    tags: [],
    documents: documents.map((document) => {
      const of = typed.find(({ collection }) => collection === document.collection_id)
      return of ? { ...document, fields: of.valuesOf(document.id) } : document
    }),
    fields: typed.flatMap(({ fields }) => fields),
  })
  return { manifest, files, problems: [] }

  function place(path: string): string | null {
    const folders = path.split('/').slice(0, -1)
    return folders.reduce<string | null>((parent, folder, depth) => {
      const key = folders.slice(0, depth + 1).join('/')
      const known = collections.get(key) ?? {
        id: key,
        name: folder.replace(PAGE_ID, '').trim() || t('Untitled'),
        parent_id: parent,
      }
      collections.set(key, known)
      return known.id
    }, null)
  }
}

const plainName = (path: string): string => (path.split('/').at(-1) ?? '').replace(PAGE_ID, '').trim()

function headed(text: string, path: string): { title: string; text: string } {
  const [, title, rest = ''] = /^# ([^\n]+)\n*([\s\S]*)$/.exec(text) ?? []
  return title ? { title, text: rest } : { title: plainName(path).replace(/\.md$/, '') || t('Untitled'), text }
}

function targetOf(page: string, address: string): string | undefined {
  try {
    return decodeURIComponent(
      new URL(address, `file:///${encodeURI(page).replaceAll('#', '%23').replaceAll('?', '%3F')}`).pathname,
    ).slice(1)
  } catch {
    return undefined
  }
}
