import { z } from 'zod'
import { keyword, type Sql, sql } from '../../kernel/sql.ts'
import { rowsOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { storageError } from '../errors.ts'
import { wholeNumber } from '../http/validation.ts'
import { listedVersions, listsNothing } from './rows.ts'

const order = z.enum(['asc', 'desc']).optional()

export const ListQuery = z.object({
  prefix: z.string(),
  limit: wholeNumber(1).optional(),
  offset: wholeNumber(0).optional(),
  search: z.string().optional(),
  sortBy: z.object({ column: z.enum(['name', 'updated_at', 'created_at', 'last_accessed_at']), order }).optional(),
  ...listedVersions,
})

export const ListV2Query = z.object({
  prefix: z.string().optional(),
  limit: wholeNumber(1).optional(),
  cursor: z.string().optional(),
  with_delimiter: z.boolean().optional(),
  sortBy: z.object({ column: z.enum(['name', 'updated_at', 'created_at']), order }).optional(),
  ...listedVersions,
})

export type Entry = {
  name: string
  id: string | null
  updated_at: Date | null
  created_at: Date | null
  last_accessed_at: Date | null
  metadata: Record<string, unknown> | null
  version: string | null
  archived_at: Date | null
  is_delete_marker: boolean | null
  is_versioned: boolean | null
}

const ENTRY = keyword('name, id, updated_at, created_at, last_accessed_at, metadata')
const VERSION = keyword('version, archived_at, is_delete_marker, is_versioned')

/** Lists one level of a bucket by offset, names relative to the prefix. */
export async function listObjects(
  bucket: string,
  { prefix, limit, offset, search, sortBy, ...versions }: z.infer<typeof ListQuery>,
  caller: StorageCaller,
  deps: StorageDeps,
): Promise<Entry[]> {
  if (listsNothing(versions)) return []
  if (versions.exactMatch) {
    const { objects } = await listObjectsV2(bucket, { prefix, exactMatch: true }, caller, deps)
    return objects.map((entry) => ({ ...entry, name: entry.name.slice(entry.name.lastIndexOf('/') + 1) }))
  }
  // A prefix is a folder, with or without its slash.
  const folder = prefix.length > 0 && !prefix.endsWith('/') ? `${prefix}/` : prefix
  const listing = sql`storage.search(${folder}, ${bucket}, ${limit ?? 100}::int, 1, ${offset ?? 0}::int, ${search ?? ''},
    ${sortBy?.column ?? 'name'}, ${sortBy?.order ?? 'asc'})`
  const [found] = await runAs(deps.db, caller, [withVersions(ENTRY, listing)])
  return rowsOf<Entry>(found)
}

export type Page = { hasNext: boolean; nextCursor?: string; nextCursorKey?: string; folders: Entry[]; objects: Entry[] }

type SortColumn = 'name' | 'updated_at' | 'created_at'
type Cursor = { after: string; order: 'asc' | 'desc'; column: SortColumn; columnAfter: string }

const MAX_PAGE = 1000

/** Lists full keys of a bucket by cursor; with a delimiter only one level, folders apart.
 *  @throws {StorageError} InvalidParameter for an invalid cursor */
export async function listObjectsV2(
  bucket: string,
  query: z.infer<typeof ListV2Query>,
  caller: StorageCaller,
  { db }: StorageDeps,
): Promise<Page> {
  if (listsNothing(query)) return { hasNext: false, folders: [], objects: [] }
  const limit = Math.min(query.limit ?? MAX_PAGE, MAX_PAGE)
  const prefix = query.prefix ?? ''
  const { order = 'asc', column = 'name' } = query.exactMatch ? {} : (query.sortBy ?? {})
  const cursor: Cursor = query.cursor ? decodeCursor(query.cursor) : { after: '', order, column, columnAfter: '' }
  // One more than requested, to know whether there's another page. The key that equals the prefix is the first.
  const select = query.with_delimiter && !query.exactMatch ? levelSql : flatSql
  const [found] = await runAs(db, caller, [select(bucket, prefix, limit + 1, cursor)])
  const rows = rowsOf<Entry>(found).filter(({ name }) => !query.exactMatch || name === prefix)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const result: Page = {
    hasNext: rows.length > limit,
    folders: page.filter(({ id }) => id === null).map((entry) => ({ ...entry, name: `${entry.name}/` })),
    objects: page.filter(({ id }) => id !== null),
  }
  if (!result.hasNext || !last) return result
  const columnAfter = cursor.column === 'name' ? '' : (last[cursor.column]?.toISOString() ?? '')
  return { ...result, nextCursor: encodeCursor({ ...cursor, after: last.name, columnAfter }), nextCursorKey: last.name }
}

/** Selects what a listing function returns, in its order, with each object's version. */
const withVersions = (columns: Sql, listing: Sql): Sql => sql`
  select ${columns}, ${VERSION}
  from ${listing} with ordinality l left join lateral (select ${VERSION} from storage.objects o where o.id = l.id) o on true
  order by ordinality`

const levelSql = (bucket: string, prefix: string, limit: number, cursor: Cursor): Sql =>
  withVersions(
    sql`key, ${ENTRY}`,
    sql`storage.search_v2(
    ${prefix}, ${bucket}, ${limit}::int, ${prefix.split('/').length}::int, ${cursor.after},
    ${cursor.order}, ${cursor.column}, ${cursor.columnAfter})`,
  )

export function flatSql(
  bucket: string,
  prefix: string,
  limit: number,
  { after, order, column, columnAfter }: Cursor,
): Sql {
  const direction = keyword(order)
  const beyond = keyword(order === 'asc' ? '>' : '<')
  const time = column === 'name' ? null : keyword(`date_trunc('milliseconds', ${column})`)
  const rest = time
    ? sql`(${time}, name collate "C") ${beyond} (coalesce(nullif(${columnAfter}, '')::timestamptz, 'epoch'), ${after})`
    : sql`name collate "C" ${beyond} ${after}`
  return sql`select ${ENTRY}, ${VERSION} from storage.objects
    where bucket_id = ${bucket} and starts_with(name, ${prefix})
      and name collate "C" >= ${prefix} and name collate "C" < ${prefix} || chr(1114111)
      and (${after} = '' or ${rest})
    order by ${time ? sql`${time} ${direction},` : sql``} name collate "C" ${direction} limit ${limit}::int`
}

const ORDERS = ['asc', 'desc'] as const
const COLUMNS = ['name', 'updated_at', 'created_at'] as const

/** Base64 lines of `letter:value`, like upstream's, so that cursors work on both. */
export const encodeCursor = ({ after, order, column, columnAfter }: Cursor): string =>
  Buffer.from(
    [`l:${after}`, `o:${order}`, ...(column === 'name' ? [] : [`c:${column}`, `a:${columnAfter}`])].join('\n'),
  ).toString('base64')

export function decodeCursor(token: string): Cursor {
  const parts = new Map(
    Buffer.from(token, 'base64')
      .toString('utf8')
      .split('\n')
      .map((line) => {
        const [, letter, value] = /^([loca]):(.*)$/.exec(line) ?? []
        if (letter === undefined || value === undefined) throw badCursor()
        return [letter, value] as const
      }),
  )
  const order = ORDERS.find((one) => one === (parts.get('o') ?? 'asc'))
  const column = COLUMNS.find((one) => one === (parts.get('c') ?? 'name'))
  const columnAfter = parts.get('a') ?? ''
  if (!order || !column || (columnAfter !== '' && Number.isNaN(Date.parse(columnAfter)))) throw badCursor()
  return { after: parts.get('l') ?? '', order, column, columnAfter }
}

const badCursor = () => storageError('InvalidParameter', { message: 'Invalid Parameter continuation token' })
