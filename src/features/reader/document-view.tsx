import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy, Suspense, use, useMemo } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { fileQuery, type OpenDocument } from './queries.ts'

const PdfView = lazy(() => import('./pdf-view.tsx').then(({ PdfView }) => ({ default: PdfView })))
const ProseView = lazy(() => import('./prose-view.tsx').then(({ ProseView }) => ({ default: ProseView })))
const ImageView = lazy(() => import('./image-view.tsx').then(({ ImageView }) => ({ default: ImageView })))

type Passage = { page: number | null; content: string }
type DocumentViewProps = {
  document: OpenDocument
  passage: Passage | undefined
  onPage: (page: number) => void
}

/** A document in the form that suits its kind. */
export function DocumentView({ document, passage, onPage }: DocumentViewProps) {
  const { version } = document
  return (
    <Suspense fallback={<DocumentSkeleton />}>
      {version?.storage_path ? (
        <StoredFile
          path={version.storage_path}
          type={version.mime_type}
          title={document.title}
          passage={passage}
          onPage={onPage}
        />
      ) : version?.body ? (
        <ProseView text={withoutTitle(version.body, document.title)} form="markdown" passage={passage?.content} />
      ) : (
        <Notice tone="info">
          {document.url
            ? 'This link has not been read yet. Open it where it is.'
            : 'There is nothing written here yet.'}
        </Notice>
      )}
    </Suspense>
  )
}

/** A text that begins with its own title would show it twice. */
export function withoutTitle(markdown: string, title: string): string {
  const [, heading, rest] = /^\s*#\s+(.+?)\s*#*\s*(?:\n|$)([\s\S]*)$/.exec(markdown) ?? []
  return heading === title && rest !== undefined ? rest : markdown
}

type StoredFileProps = {
  path: string
  type: string
  title: string
  passage: Passage | undefined
  onPage: (page: number) => void
}

function StoredFile({ path, type, title, passage, onPage }: StoredFileProps) {
  const { data: file } = useSuspenseQuery(fileQuery(path))
  if (type === 'application/pdf') return <PdfView file={file} passage={passage} onPage={onPage} />
  if (type.startsWith('image/')) return <ImageView file={file} title={title} />
  if (type.startsWith('text/')) return <TextFile file={file} type={type} passage={passage?.content} />
  return (
    <Notice tone="info">
      This kind of file is not shown here yet. Its passages can be found; download it to read it.
    </Notice>
  )
}

function TextFile({ file, type, passage }: { file: Blob; type: string; passage: string | undefined }) {
  const reading = useMemo(() => file.text(), [file])
  const form = type.startsWith('text/markdown') ? 'markdown' : type.startsWith('text/html') ? 'html' : 'plain'
  return <ProseView text={use(reading)} form={form} passage={passage} />
}

function DocumentSkeleton() {
  return (
    <div role="status" aria-label="Opening the document" className="grid gap-3">
      <Skeleton className="h-5 w-full" />
      <Skeleton className="h-5 w-11/12" />
      <Skeleton className="h-5 w-full" />
      <Skeleton className="h-5 w-3/4" />
    </div>
  )
}
