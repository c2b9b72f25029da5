import type { PDFDocumentProxy } from 'pdfjs-dist'
import { useEffect, useState } from 'react'
import { lastBefore, type Outline, type OutlineItem } from './outline.ts'

/** More than anyone would browse. */
const MAX_ENTRIES = 5000
/** Destinations resolved at a time: pages to be drawn wait for them. */
const BATCH = 40

export type Destination = string | unknown[] | null
type Entry = { id: string; destination: Destination }
type Loaded = { pdf: PDFDocumentProxy; items: OutlineItem[]; entries: Entry[] }
/** `top` is a fraction of the page's height. */
export type PagePosition = { page: number; top: number }

/** Returns a PDF's own outline.
 *  @param pdf Undefined until it may be loaded.
 *  @param page The current page.
 *  @param show Scrolls to a place. */
export function usePdfOutline(
  pdf: PDFDocumentProxy | undefined,
  page: number,
  show: (page: number, top: number) => void,
): Outline | undefined {
  const [loaded, setLoaded] = useState<Loaded>()
  /** Pages of the entries; an entry without a destination uses the previous one's. */
  const [pages, setPages] = useState<readonly number[]>([])
  const [gone, setGone] = useState<{ id: string; page: number }>()

  useEffect(() => {
    if (!pdf) return
    let isMounted = true
    const load = async () => {
      const outline = await readOutline(pdf)
      if (!isMounted || !outline) return
      setLoaded(outline)
      const pages: number[] = []
      for (let start = 0; start < outline.entries.length && isMounted; start += BATCH) {
        const batch = outline.entries.slice(start, start + BATCH)
        for (const number of await Promise.all(batch.map(({ destination }) => pageOf(pdf, destination)))) {
          pages.push(number ?? pages.at(-1) ?? 1)
        }
      }
      if (isMounted) setPages(pages)
    }
    // A damaged outline doesn't affect the pages.
    load().catch(() => {})
    return () => {
      isMounted = false
      setLoaded(undefined)
      setPages([])
    }
  }, [pdf])

  if (!pdf || loaded?.pdf !== pdf || loaded.items.length === 0) return undefined
  const { items, entries } = loaded
  const before = lastBefore(pages.length, (index) => pages[index] ?? 0, page - 1)
  const read = pages[before + 1] === page ? before + 1 : before
  return {
    items,
    // With several headings on a page, the one jumped to is current while its page is.
    current: gone?.page === page ? gone.id : entries[read]?.id,
    onGo: async (id) => {
      const place = await placeOf(pdf, entries.find((entry) => entry.id === id)?.destination ?? null)
      if (!place) return
      setGone({ id, page: place.page })
      show(place.page, place.top)
    },
  }
}

async function readOutline(pdf: PDFDocumentProxy): Promise<Loaded | undefined> {
  const outline = await pdf.getOutline()
  if (!outline) return undefined
  const entries: Entry[] = []
  const convert = (nodes: typeof outline): OutlineItem[] =>
    nodes.flatMap(({ title, dest, items }) => {
      if (entries.length >= MAX_ENTRIES) return []
      const id = String(entries.length)
      entries.push({ id, destination: dest })
      return [{ id, title: title.replaceAll(/\s+/g, ' ').trim() || '…', items: convert(items as typeof outline) }]
    })
  return { pdf, items: convert(outline), entries }
}

const explicit = (pdf: PDFDocumentProxy, destination: Destination): Promise<unknown[] | null> | unknown[] | null =>
  typeof destination === 'string' ? pdf.getDestination(destination) : destination

/** Returns a destination's page; null if it's invalid. */
async function pageOf(pdf: PDFDocumentProxy, destination: Destination): Promise<number | null> {
  const [target] = (await explicit(pdf, destination)) ?? []
  if (typeof target === 'number') return target + 1
  if (typeof target !== 'object' || target === null) return null
  return pdf.getPageIndex(target as Parameters<PDFDocumentProxy['getPageIndex']>[0]).then(
    (index) => index + 1,
    () => null,
  )
}

/** The index of `top` by destination type (PDF 32000-1, table 151). */
const TOP_AT: Record<string, number> = { XYZ: 3, FitH: 2, FitBH: 2, FitR: 5 }

export async function placeOf(pdf: PDFDocumentProxy, destination: Destination): Promise<PagePosition | null> {
  const page = await pageOf(pdf, destination)
  if (page === null) return null
  const parts = (await explicit(pdf, destination)) ?? []
  const kind = parts[1] as { name?: string } | undefined
  const top = parts[TOP_AT[kind?.name ?? ''] ?? -1]
  if (typeof top !== 'number') return { page, top: 0 }
  const viewport = (await pdf.getPage(page)).getViewport({ scale: 1 })
  const [, y = 0] = viewport.convertToViewportPoint(0, top)
  return { page, top: Math.min(1, Math.max(0, y / viewport.height)) }
}
