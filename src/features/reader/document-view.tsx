import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy, Suspense, use } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { kindOfMediaType } from '../../domain/file-kinds.ts'
import { pictureAddressQuery } from '../../domain/note-pictures.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { ViewProps } from './anchors.ts'
import type { PdfPlace } from './pdf/pdf-view.tsx'
import { loadPdfView } from './preload.ts'
import { fileQuery, type OpenDocument } from './queries.ts'

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
          text={withoutTitle(version.body, document.title)}
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

/** Removes a first heading that repeats the title. */
function withoutTitle(markdown: string, title: string): string {
  const [, heading, rest] = /^\s*#\s+(.+?)\s*#*\s*(?:\n|$)([\s\S]*)$/.exec(markdown) ?? []
  return heading === title && rest !== undefined ? rest : markdown
}

type FileProps = ViewProps & PdfPlace & { path: string; title: string }

function Rendition({ path, title, ...view }: FileProps) {
  const { data: file } = useSuspenseQuery(fileQuery(path))
  return <SnapshotView html={withoutHeading(useText(file), title)} title={title} {...view} />
}

/** The same for the HTML of a page. */
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
