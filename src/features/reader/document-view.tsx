import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, type RefObject, Suspense, use, useEffect, useRef, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { kindOfMediaType } from '../../domain/file-kinds.ts'
import { pictureAddressQuery } from '../../domain/note-pictures.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { ViewProps } from './anchors.ts'
import { useTextOutline } from './outline/use-text-outline.ts'
import type { PdfPlace } from './pdf/pdf-view.tsx'
import { loadPdfView } from './preload.ts'
import { fileQuery, type OpenDocument } from './queries.ts'
import { ReaderFrame } from './reader-frame.tsx'

const PdfView = lazy(loadPdfView)
const ProseView = lazy(() => import('./text/prose-view.tsx').then(({ ProseView }) => ({ default: ProseView })))
const SnapshotView = lazy(() =>
  import('./text/snapshot-view.tsx').then(({ SnapshotView }) => ({ default: SnapshotView })),
)
const ImageView = lazy(() => import('./image-view.tsx').then(({ ImageView }) => ({ default: ImageView })))

type DocumentViewProps = ViewProps & PdfPlace & { library: string; document: OpenDocument }

/** Shows a document in the view for its kind. */
export function DocumentView({ library, document, ...view }: DocumentViewProps) {
  const { version } = document
  return (
    <Suspense fallback={<DocumentSkeleton />}>
      {version?.rendition_path ? (
        <Rendition path={version.rendition_path} title={document.title} {...view} />
      ) : version?.storage_path ? (
        <StoredFile path={version.storage_path} type={version.mime_type} title={document.title} {...view} />
      ) : version?.body ? (
        <ProseView
          text={version.body}
          form="markdown"
          pictures={(name) => pictureAddressQuery(library, document.id, name)}
          {...view}
        />
      ) : (
        <Notice tone="info">
          {document.url
            ? t('This link has not been fetched yet. Open it where it is.')
            : t('There is nothing written here yet.')}
        </Notice>
      )}
    </Suspense>
  )
}

type FileProps = ViewProps & PdfPlace & { path: string; title: string }

function Rendition({ path, title, ...view }: FileProps) {
  const { data: file } = useSuspenseQuery(fileQuery(path))
  return <SnapshotView html={withoutHeading(useText(file), title)} title={title} {...view} />
}

/** Removes a first heading that repeats the title. */
const withoutHeading = (html: string, title: string): string =>
  html.replace(/^\s*<h1>([^<]*)<\/h1>/, (heading, words: string) => (words.trim() === title ? '' : heading))

function StoredFile({ path, type, title, ...view }: FileProps & { type: string }) {
  const { data: file } = useSuspenseQuery(fileQuery(path))
  switch (kindOfMediaType(type)?.show) {
    case 'pages':
      return <PdfView file={file} {...view} />
    case 'picture':
      return <ImageView file={file} title={title} />
    case 'text':
      return <TextFile file={file} type={type} title={title} {...view} />
    default:
      return (
        <Notice tone="info">
          {t(
            'This kind of file is not shown here. Once it has been read, a readable copy is in its place; until then, download it.',
          )}
        </Notice>
      )
  }
}

function TextFile({ file, type, title, ...view }: ViewProps & { file: Blob; type: string; title: string }) {
  const text = useText(file)
  if (type.startsWith('text/html')) return <SnapshotView html={text} title={title} {...view} />
  return <ProseView text={text} form={type.startsWith('text/markdown') ? 'markdown' : 'plain'} {...view} />
}

/** A note where it is written: as wide as where it is read, with the same outline. */
export function WrittenText({ children }: { children: ReactNode }) {
  const root = useRef<HTMLDivElement>(null)
  const outline = useTextOutline(root, useChanges(root))
  return (
    <ReaderFrame outline={outline}>
      <div ref={root} className="mx-auto grid max-w-[44rem] gap-4">
        {children}
      </div>
    </ReaderFrame>
  )
}

/** Milliseconds in which several changes are one. */
const TOGETHER = 300

/** How often the content of an element has changed: the first change counts before it is drawn, those that follow it together. */
function useChanges(root: RefObject<HTMLElement | null>): number {
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    if (!root.current) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isDue = false
    const count = () => {
      isDue = false
      setChanges((changes) => changes + 1)
      timer = setTimeout(() => {
        timer = undefined
        if (isDue) count()
      }, TOGETHER)
    }
    const observer = new MutationObserver(() => {
      if (timer === undefined) count()
      else isDue = true
    })
    observer.observe(root.current, { subtree: true, childList: true, characterData: true })
    return () => {
      observer.disconnect()
      clearTimeout(timer)
    }
  }, [root])
  return changes
}

const texts = new WeakMap<Blob, Promise<string>>()

/** A file's text. The promise is cached outside of the component, which loses its state while it is suspended. */
function useText(file: Blob): string {
  const reading = texts.get(file) ?? file.text()
  texts.set(file, reading)
  return use(reading)
}

function DocumentSkeleton() {
  return (
    <div role="status" aria-label={t('Opening the document')} className="grid gap-3">
      <Skeleton className="h-5 w-full" />
      <Skeleton className="h-5 w-11/12" />
      <Skeleton className="h-5 w-full" />
      <Skeleton className="h-5 w-3/4" />
    </div>
  )
}
