import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { classNames } from '../../../lib/ui/class-names.ts'
import type { ViewProps } from '../anchors.ts'
import { useTextOutline } from '../outline/use-text-outline.ts'
import { ReaderFrame } from '../reader-frame.tsx'
import { useReadingOptions } from '../reading-options.ts'
import { safeHtml } from './safe-html.ts'
import styles from './snapshot.css?inline'
import { useHighlights } from './use-highlights.ts'
import { useInsideLinks } from './use-inside-links.ts'
import { textSelectionIn } from './use-text-selection.ts'

/** Blocks loading and scripts even if sanitizing missed something. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; img-src data:; form-action 'none'"

type SnapshotViewProps = ViewProps & { html: string; title: string }

/** A foreign document, sanitized, in a locked-down frame. Only we reach into it, for marks and selection. */
export function SnapshotView({ html, title, anchor, remarks, onSelect }: SnapshotViewProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const body = useRef<HTMLElement | null>(null)
  const [drawn, setDrawn] = useState<number | null>(null)
  const [height, setHeight] = useState(600)
  const tell = useEffectEvent(onSelect)
  const follow = useEffectEvent(useInsideLinks())
  const { dimmed } = useReadingOptions()
  const source = useMemo(() => page(safeHtml(html)), [html])
  useHighlights(body, { anchor, remarks, drawn })
  const outline = useTextOutline(body, drawn)

  // Frames don't inherit styles, so the theme is copied, also when it changes.
  useEffect(() => {
    const inside = frame.current?.contentDocument?.documentElement
    if (!inside || drawn === null) return
    const copy = () => {
      inside.dataset.theme = document.documentElement.dataset.theme ?? 'light'
      inside.dataset.dimmed = String(dimmed)
    }
    copy()
    const observer = new MutationObserver(copy)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [drawn, dimmed])

  useEffect(() => {
    const element = frame.current
    if (!element) return
    let stop = () => {}
    const onLoad = () => {
      const inside = element.contentDocument
      if (!inside) return
      body.current = inside.body
      const observer = new ResizeObserver(() => setHeight(inside.documentElement.offsetHeight))
      observer.observe(inside.documentElement)
      const onSelection = () => {
        const selection = inside.getSelection()
        tell(
          selection && selection.rangeCount > 0
            ? textSelectionIn(selection.getRangeAt(0), inside.body, element)
            : undefined,
        )
      }
      inside.addEventListener('selectionchange', onSelection)
      const pass = (event: KeyboardEvent) => dispatchEvent(new KeyboardEvent('keydown', event))
      const passDrag = (event: DragEvent) => {
        if (!document.dispatchEvent(new DragEvent(event.type, event))) event.preventDefault()
      }
      inside.addEventListener('keydown', pass)
      // Links would open in the frame's sandbox, where no app can run.
      const onClick = (event: MouseEvent) => {
        const target = event
          .composedPath()
          .find((one) => one instanceof (inside.defaultView ?? window).HTMLAnchorElement)
        follow(event, target)
      }
      inside.addEventListener('click', onClick)
      for (const name of ['dragenter', 'dragleave', 'dragover', 'drop'] as const)
        inside.addEventListener(name, passDrag)
      stop = () => observer.disconnect()
      setDrawn((before) => (before ?? 0) + 1)
    }
    element.addEventListener('load', onLoad)
    return () => {
      stop()
      element.removeEventListener('load', onLoad)
    }
  }, [])

  return (
    <ReaderFrame outline={outline}>
      <iframe
        ref={frame}
        title={title}
        sandbox="allow-same-origin allow-popups"
        srcDoc={source}
        style={{ height }}
        className={classNames('mx-auto w-full max-w-[44rem]', drawn === null && 'invisible')}
      />
    </ReaderFrame>
  )
}

const page = (body: string): string =>
  `<!doctype html><html lang=""><head><meta charset="utf-8">` +
  `<meta http-equiv="Content-Security-Policy" content="${POLICY}"><base target="_blank">` +
  `<style>${styles}</style></head><body><main class="prose" data-readable>${body}</main></body></html>`
