import { authError } from '../errors.ts'

export type Page = { readonly page: number; readonly perPage: number }

const MAX = Number.MAX_SAFE_INTEGER

/** Reads `page` (from 1) and `per_page` (default 50). @throws `validation_failed` */
export function readPage(query: URLSearchParams): Page {
  return { page: Math.max(1, unsigned(query.get('page'), 1)), perPage: unsigned(query.get('per_page'), 50) || 50 }
}

function unsigned(value: string | null, fallback: number): number {
  if (value === null || value === '') return fallback
  if (!/^\d+$/.test(value) || Number(value) > MAX) {
    throw authError('pagination', [`strconv.ParseUint: parsing ${JSON.stringify(value)}: invalid syntax`])
  }
  return Number(value)
}

/** Returns `Link` and `X-Total-Count`, from which clients read the number of pages. */
export function pageHeaders(url: URL, { page, perPage }: Page, total: number): Record<string, string> {
  const pages = Math.ceil(total / perPage)
  const link = (to: number, rel: string) => {
    const query = new URLSearchParams(url.searchParams)
    query.set('page', String(to))
    query.sort()
    return `<${url.pathname.replace(/^\/auth\/v1(?=\/)/, '')}?${query}>; rel="${rel}"`
  }
  const next = pages > page ? [link(page + 1, 'next')] : []
  return { link: [...next, link(pages, 'last')].join(', '), 'x-total-count': String(total) }
}

/** Returns the rows before the page, capped at what Postgres can count to. */
export const offsetOf = ({ page, perPage }: Page): number => Math.min((page - 1) * perPage, MAX)

export type Sorting = { readonly field: 'created_at'; readonly descending: boolean }

/** Reads `sort=created_at asc`, the only field upstream sorts by. @throws `validation_failed` */
export function readSorting(query: URLSearchParams): Sorting {
  const [value] = query.getAll('sort').slice(-1)
  if (value === undefined) return { field: 'created_at', descending: true }
  const [field, direction = 'desc'] = value.split(/ (.*)/s)
  if (field !== 'created_at') throw authError('sorting', [`bad field for sort '${field}'`])
  const lower = direction.toLowerCase()
  if (lower !== 'asc' && lower !== 'desc') {
    throw authError('sorting', [`bad direction for sort '${direction}', only 'asc' and 'desc' allowed`])
  }
  return { field, descending: lower === 'desc' }
}
