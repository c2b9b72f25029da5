import type { PDFDocumentProxy } from 'pdfjs-dist'
import { useEffect, useState } from 'react'
import { locateAll } from '../text/locate.ts'

/** `place` counts the finds of its own page, from 0. */
type Find = { page: number; place: number }

export type PdfSearch = {
  words: string
  setWords: (words: string) => void
  finds: readonly Find[]
  /** Which of them is shown, from 0; -1 while there is none. */
  at: number
  current: Find | undefined
  step: (by: 1 | -1) => void
  /** Pages are still being looked through. */
  busy: boolean
}

const PAUSE_MS = 200

/** Looks for words in the text of every page, the first finds as soon as they are known. */
export function usePdfSearch(pdf: PDFDocumentProxy | undefined): PdfSearch {
  const [words, setWords] = useState('')
  const [finds, setFinds] = useState<readonly Find[]>([])
  const [at, setAt] = useState(-1)
  const [busy, setBusy] = useState(false)

  useEffect(() => {
    setFinds([])
    setAt(-1)
    if (!pdf || words.trim() === '') return setBusy(false)
    let isMounted = true
    setBusy(true)
    const look = async () => {
      for (let page = 1; page <= pdf.numPages && isMounted; page += 1) {
        const count = locateAll(await textOf(pdf, page), words).length
        if (!isMounted || count === 0) continue
        setFinds((before) => [...before, ...Array.from({ length: count }, (_, place) => ({ page, place }))])
        setAt((before) => Math.max(before, 0))
      }
      if (isMounted) setBusy(false)
    }
    const timer = setTimeout(() => void look(), PAUSE_MS)
    return () => {
      isMounted = false
      clearTimeout(timer)
    }
  }, [pdf, words])

  return {
    words,
    setWords,
    finds,
    at,
    current: finds[at],
    step: (by) => setAt((before) => (finds.length === 0 ? -1 : (before + by + finds.length) % finds.length)),
    busy,
  }
}

const texts = new WeakMap<PDFDocumentProxy, Map<number, Promise<string>>>()

/** A page's text, read once while the document is open. */
function textOf(pdf: PDFDocumentProxy, page: number): Promise<string> {
  const known = texts.get(pdf) ?? new Map<number, Promise<string>>()
  texts.set(pdf, known)
  const text = known.get(page) ?? read(pdf, page)
  known.set(page, text)
  return text
}

async function read(pdf: PDFDocumentProxy, page: number): Promise<string> {
  const { items } = await (await pdf.getPage(page)).getTextContent()
  return items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('')
}
