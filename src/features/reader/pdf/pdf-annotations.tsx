import { MessageSquareText } from 'lucide-react'
import type { PDFDocumentProxy } from 'pdfjs-dist'
import { type CSSProperties, useEffect, useState } from 'react'
import { t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import { type Destination, type PagePosition, placeOf } from '../outline/use-pdf-outline.ts'

/** As pdf.js returns it, which gives addresses of harmless schemes only. `rect` is in points. */
type Annotation = {
  id: string
  subtype: string
  rect: number[]
  url?: string
  dest?: Destination
  contentsObj?: { str: string }
  titleObj?: { str: string }
}
type Placed = Annotation & { box: CSSProperties }

/** Their text is on the page, or that of another annotation. */
const WITHOUT_NOTE = ['FreeText', 'Link', 'Popup', 'Widget']
const LINK = 'absolute rounded-xs hover:bg-accent/15'

type PdfAnnotationsProps = { pdf: PDFDocumentProxy; page: number; onGo: (place: PagePosition) => void }

/** The links of a page, and the notes that people left on it. */
export function PdfAnnotations({ pdf, page, onGo }: PdfAnnotationsProps) {
  const [placed, setPlaced] = useState<readonly Placed[]>([])
  useEffect(() => {
    let isMounted = true
    // A damaged annotation doesn't affect the page.
    annotationsOf(pdf, page).then(
      (found) => isMounted && setPlaced(found),
      () => {},
    )
    return () => {
      isMounted = false
    }
  }, [pdf, page])
  const go = async (destination: Destination) => {
    const place = await placeOf(pdf, destination)
    if (place) onGo(place)
  }
  return placed.map(({ id, subtype, box, url, dest, contentsObj, titleObj }) => {
    const note = WITHOUT_NOTE.includes(subtype) ? undefined : contentsObj?.str.trim()
    if (note) return <Note key={id} box={box} isBeside={subtype !== 'Text'} author={titleObj?.str} text={note} />
    if (url) {
      return (
        <a key={id} href={url} target="_blank" rel="noreferrer" title={url} className={LINK} style={box}>
          <span className="sr-only">{url}</span>
        </a>
      )
    }
    if (!dest) return null
    const label = t('Go to the linked place')
    return (
      <button key={id} type="button" aria-label={label} className={LINK} style={box} onClick={() => void go(dest)} />
    )
  })
}

async function annotationsOf(pdf: PDFDocumentProxy, page: number): Promise<Placed[]> {
  const proxy = await pdf.getPage(page)
  const viewport = proxy.getViewport({ scale: 1 })
  const annotations: Annotation[] = await proxy.getAnnotations()
  return annotations.map((one) => {
    const [left = 0, bottom = 0, right = 0, top = 0] = one.rect
    const [x1 = 0, y1 = 0] = viewport.convertToViewportPoint(left, bottom)
    const [x2 = 0, y2 = 0] = viewport.convertToViewportPoint(right, top)
    const across = (length: number) => `${(length / viewport.width) * 100}%`
    const down = (length: number) => `${(length / viewport.height) * 100}%`
    const box = {
      left: across(Math.min(x1, x2)),
      top: down(Math.min(y1, y2)),
      width: across(Math.abs(x2 - x1)),
      height: down(Math.abs(y2 - y1)),
    }
    return { ...one, box }
  })
}

type NoteProps = {
  box: CSSProperties
  /** Left of the box, so that it covers no words. */
  isBeside: boolean
  author: string | undefined
  text: string
}

function Note({ box: { left = 0, top = 0 }, isBeside, author, text }: NoteProps) {
  const isRight = Number.parseFloat(String(left)) > 50
  return (
    <details className={classNames('absolute open:z-10', isBeside && '-translate-x-full')} style={{ left, top }}>
      <summary
        aria-label={author ? t('Note by {name}', { name: author }) : t('Note')}
        className="block cursor-pointer rounded bg-mark p-0.5 text-ink shadow-lift"
      >
        <MessageSquareText aria-hidden className="size-4" />
      </summary>
      <div
        dir="auto"
        className={classNames(
          'absolute top-full mt-1 w-60 rounded-md border border-line bg-surface p-2 text-ink text-sm shadow-lift',
          isRight && 'right-0',
        )}
      >
        {author ? <p className="font-medium">{author}</p> : null}
        <p className="whitespace-pre-line [overflow-wrap:anywhere]">{text}</p>
      </div>
    </details>
  )
}
