import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy } from 'pdfjs-dist'
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?worker&url'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Pending } from '../../components/states.tsx'

GlobalWorkerOptions.workerSrc = workerUrl

/** Draws the pages of a PDF. The browser's own viewer would need a plugin, which the console's policy forbids. */
export function PdfPreview({ file, name }: { file: Blob; name: string }) {
  const [pdf, setPdf] = useState<PDFDocumentProxy>()
  const [error, setError] = useState<unknown>()
  const [page, setPage] = useState(1)
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    let task: ReturnType<typeof getDocument> | undefined
    let isGone = false
    void (async () => {
      const data = await file.arrayBuffer()
      if (isGone) return
      task = getDocument({ data, useWasm: false, enableXfa: false })
      setPdf(await task.promise)
    })().catch((reason: unknown) => {
      if (!isGone) setError(reason)
    })
    return () => {
      isGone = true
      void task?.destroy()
    }
  }, [file])
  useEffect(() => {
    let drawing: { cancel(): void } | undefined
    let isGone = false
    void (async () => {
      const shown = await pdf?.getPage(page)
      if (!shown || isGone || !canvas.current) return
      const viewport = shown.getViewport({ scale: 1.5 })
      canvas.current.width = viewport.width
      canvas.current.height = viewport.height
      const render = shown.render({ canvas: canvas.current, viewport })
      drawing = render
      await render.promise
    })().catch((reason: unknown) => {
      if (!isGone) setError(reason)
    })
    return () => {
      isGone = true
      drawing?.cancel()
    }
  }, [pdf, page])
  if (error || !pdf) return <Pending error={error} label="Loading the file" />
  return (
    <div className="grid gap-2">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Page ${page} of ${name}`}
        className="w-full rounded-md border bg-white"
      />
      <div className="flex items-center justify-between text-ink-faint text-xs">
        <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
          Back
        </Button>
        <span>
          Page {page} of {pdf.numPages}
        </span>
        <Button disabled={page === pdf.numPages} onClick={() => setPage(page + 1)}>
          Next
        </Button>
      </div>
    </div>
  )
}
