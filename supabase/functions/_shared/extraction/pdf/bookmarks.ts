import type { getDocumentProxy } from 'unpdf'
import type { Bookmark } from './layout.ts'

export type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type OutlineNode = Awaited<ReturnType<Pdf['getOutline']>>[number]

const MAX_BOOKMARKS = 3000
const MAX_DEPTH = 6

/** Returns the bookmarks in reading order, without those that have no title or no page. */
export async function bookmarksOf(pdf: Pdf): Promise<Bookmark[]> {
  const bookmarks: Bookmark[] = []
  const visit = async (nodes: readonly OutlineNode[], level: number): Promise<void> => {
    for (const { title, dest, items } of nodes) {
      if (bookmarks.length >= MAX_BOOKMARKS) return
      const page = await pageOf(pdf, dest)
      const tidy = title.replace(/[\s\p{Cc}]+/gu, ' ').trim()
      if (page !== null && tidy) bookmarks.push({ title: tidy.slice(0, 200), level, page })
      if (level < MAX_DEPTH) await visit(items, level + 1)
    }
  }
  try {
    await visit((await pdf.getOutline()) ?? [], 1)
  } catch {
    return []
  }
  return bookmarks
}

async function pageOf(pdf: Pdf, dest: OutlineNode['dest']): Promise<number | null> {
  try {
    const target = typeof dest === 'string' ? await pdf.getDestination(dest) : dest
    const page = target?.[0]
    if (typeof page === 'number') return page
    return page ? await pdf.getPageIndex(page) : null
  } catch {
    return null
  }
}
