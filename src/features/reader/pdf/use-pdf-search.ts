import type { PDFDocumentProxy } from 'pdfjs-dist'
import { useEffect, useEffectEvent, useState } from 'react'
import { textOfPage } from '../../../lib/pdf.ts'
import { locateAll } from '../text/locate.ts'

/** `place` counts the matches on its page, from 0. */
type Find = { page: number; place: number }

export type PdfSearch = {
  words: string
  setWords: (words: string) => void
  finds: readonly Find[]
  at: number
  current: Find | undefined
  step: (by: 1 | -1) => void
  busy: boolean
}

const PAUSE_MS = 200

/** Searches the text of all pages, starting at the current one. Returns matches as they are found.
 *  @param page The current page. */
export function usePdfSearch(pdf: PDFDocumentProxy | undefined, page: number): PdfSearch {
  const [words, setWords] = useState('')
  const [finds, setFinds] = useState<readonly Find[]>([])
  const [current, setCurrent] = useState<Find>()
  const [busy, setBusy] = useState(false)
  const pageNow = useEffectEvent(() => page)

  useEffect(() => {
    setFinds([])
    setCurrent(undefined)
    if (!pdf || words.trim() === '') return setBusy(false)
    let isMounted = true
    setBusy(true)
    const look = async (from: number) => {
      for (let step = 0; step < pdf.numPages && isMounted; step += 1) {
        const number = ((from - 1 + step) % pdf.numPages) + 1
        const count = locateAll(await textOf(pdf, number), words).length
        if (!isMounted || count === 0) continue
        const matches = Array.from({ length: count }, (_, place) => ({ page: number, place }))
        setFinds((before) => [...before, ...matches].sort((a, b) => a.page - b.page || a.place - b.place))
        setCurrent((before) => before ?? matches[0])
      }
      if (isMounted) setBusy(false)
    }
    const timer = setTimeout(() => void look(pageNow()), PAUSE_MS)
    return () => {
      isMounted = false
      clearTimeout(timer)
    }
  }, [pdf, words])

  const at = current ? finds.indexOf(current) : -1
  return {
    words,
    setWords,
    finds,
    at,
    current,
    step: (by) => setCurrent(finds[(at + by + finds.length) % finds.length]),
    busy,
  }
}

const texts = new WeakMap<PDFDocumentProxy, Map<number, Promise<string>>>()

function textOf(pdf: PDFDocumentProxy, page: number): Promise<string> {
  const known = texts.get(pdf) ?? new Map<number, Promise<string>>()
  texts.set(pdf, known)
  const text = known.get(page) ?? textOfPage(pdf, page)
  known.set(page, text)
  return text
}
