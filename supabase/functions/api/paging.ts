import { Buffer } from 'node:buffer'
import { z } from 'zod'
import { sha256 } from '../_shared/sha256.ts'
import { Problem } from './problem.ts'

export const Paging = {
  limit: z.coerce.number().int().min(1).max(100).default(50).meta({ description: 'The maximum number.', example: 50 }),
  cursor: z
    .string()
    .max(4000)
    .optional()
    .meta({ description: '`next_cursor` of the previous page, with the other parameters unchanged.' }),
}

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().meta({ description: 'For the next page; null on the last one.' }),
  })

const Sealed = z.tuple([z.string(), z.unknown()])

/** @param place The position after which the next page begins. @param query The list's parameters: a cursor is valid
 *  only for them. */
export const sealCursor = (place: unknown, query: unknown): string =>
  Buffer.from(JSON.stringify([markOf(query), place])).toString('base64url')

/** @returns null without a cursor. @throws {Problem} if it belongs to another list. */
export function openCursor<Place>(cursor: string | undefined, query: unknown, place: z.ZodType<Place>): Place | null {
  if (cursor === undefined) return null
  try {
    const [mark, at] = Sealed.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    if (mark === markOf(query)) return place.parse(at)
  } catch {
    // The error below says everything useful to the caller.
  }
  throw new Problem(
    'invalid_cursor',
    'A cursor is `next_cursor` of the page before, with the same other parameters. Begin again without one.',
  )
}

const markOf = (query: unknown) => sha256(JSON.stringify(query)).slice(0, 12)

export const TimePlace = z.tuple([z.iso.datetime({ offset: true }), z.guid()])

/** Cuts a page from rows fetched with one extra. */
export function cutPage<Row>(rows: readonly Row[], limit: number, placeOf: (row: Row) => unknown, query: unknown) {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > limit && last !== undefined ? sealCursor(placeOf(last), query) : null }
}
