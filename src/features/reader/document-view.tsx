import { useSuspenseQuery } from '@tanstack/react-query'
import { Download, File } from 'lucide-react'
import { lazy, type ReactNode, Suspense, use } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { kindOfMediaType, kindOfName, OTHER_KIND } from '../../domain/file-kinds.ts'
import { textOfFile } from '../../domain/file-text.ts'
import type { PictureQuery } from '../../domain/note-pictures.ts'
import { formatBytes } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { ViewProps } from './anchors.ts'
import type { PdfPlace } from './pdf/pdf-view.tsx'
import { loadPdfView } from './preload.ts'
import type { fileQuery, OpenDocument } from './queries.ts'

const PdfView = lazy(loadPdfView)
const ProseView = lazy(() => import('./text/prose-view.tsx').then(({ ProseView }) => ({ default: ProseView })))
const SnapshotView = lazy(() =>
  import('./text/snapshot-view.tsx').then(({ SnapshotView }) => ({ default: SnapshotView })),
)
const ImageView = lazy(() => import('./image-view.tsx').then(({ ImageView }) => ({ default: ImageView })))
const Player = lazy(() => import('./player.tsx').then(({ Player }) => ({ default: Player })))

type DocumentViewProps = ViewProps &
  PdfPlace & {
    document: Pick<OpenDocument, 'title' | 'url' | 'size_bytes'> & {
      version: Pick<
        NonNullable<OpenDocument['version']>,
        'rendition_path' | 'storage_path' | 'mime_type' | 'file_name' | 'body'
      > | null
    }
    read?: { library: string; document: string } | undefined
    pictures: PictureQuery
    files: typeof fileQuery
    onDownload: () => void
  }

export function DocumentView({ document, read, pictures, onDownload, ...view }: DocumentViewProps) {
  const { version } = document
  return (
    <Suspense fallback={<DocumentSkeleton />}>
      {version?.rendition_path ? (
        <Rendition path={version.rendition_path} title={document.title} {...view} />
      ) : version?.storage_path ? (
        <StoredFile
          path={version.storage_path}
          type={version.mime_type}
          name={version.file_name ?? document.title}
          title={document.title}
          read={read}
          kept={
            <KeptFile
              name={version.file_name ?? document.title}
              size={formatBytes(document.size_bytes ?? 0)}
              onDownload={onDownload}
            />
          }
          {...view}
        />
      ) : version?.body ? (
        <ProseView text={version.body} form="markdown" pictures={pictures} {...view} />
      ) : (
        <Notice tone="info">
          {document.url ? t('This page hasn’t been saved yet. Open the original.') : t('Nothing is written here yet.')}
        </Notice>
      )}
    </Suspense>
  )
}

type FileProps = ViewProps & PdfPlace & { path: string; title: string; files: typeof fileQuery }

function Rendition({ path, title, files, ...view }: FileProps) {
  const { data: file } = useSuspenseQuery(files(path))
  return <SnapshotView html={withoutHeading(useText(file), title)} title={title} {...view} />
}

const withoutHeading = (html: string, title: string): string =>
  html.replace(/^\s*<h1>([^<]*)<\/h1>/, (heading, words: string) => (words.trim() === title ? '' : heading))

type StoredProps = FileProps & {
  type: string
  name: string
  read: { library: string; document: string } | undefined
  /** Fallback for a file that can't be shown. */
  kept: ReactNode
}

function StoredFile(props: StoredProps) {
  const { type, kept } = props
  switch (kindOfMediaType(type)?.show) {
    case 'download':
      return kept
    case 'pages':
    case 'picture':
    case 'player':
    case 'text':
      return <ShownFile {...props} />
    default:
      return (
        <Notice tone="info">
          {t(
            'This kind of file can’t be shown here. Once it has been read, you’ll see a readable copy. Until then, download it.',
          )}
        </Notice>
      )
  }
}

function ShownFile({ path, type, name, title, kept, read, files, ...view }: StoredProps) {
  const { data: file } = useSuspenseQuery(files(path))
  switch (kindOfMediaType(type)?.show) {
    case 'pages':
      return <PdfView file={file} read={read} {...view} />
    case 'picture':
      return <ImageView file={file} type={type} title={title} />
    case 'player':
      return <Player file={file} type={type} title={title} otherwise={kept} />
    default:
      return <TextFile file={file} type={type} name={name} title={title} {...view} />
  }
}

type TextProps = ViewProps & { file: Blob; type: string; name: string; title: string }

function TextFile({ file, type, name, title, ...view }: TextProps) {
  const text = useText(file)
  if (type.startsWith('text/html')) return <SnapshotView html={text} title={title} {...view} />
  const plain = kindOfName(name) === OTHER_KIND ? 'code' : 'plain'
  return <ProseView text={text} form={type.startsWith('text/markdown') ? 'markdown' : plain} {...view} />
}

const texts = new WeakMap<Blob, Promise<string>>()

/** Reads a file's text. The promise is cached outside of the component, which loses its state while suspended. */
function useText(file: Blob): string {
  const reading = texts.get(file) ?? textOfFile(file)
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

type KeptFileProps = { name: string; size: string; onDownload: () => void }

/** A file that can't be shown, with a download. */
function KeptFile({ name, size, onDownload }: KeptFileProps) {
  return (
    <section className="mx-auto grid max-w-md justify-items-center gap-3 rounded-lg border border-line bg-surface px-4 py-10 text-center">
      <File aria-hidden className="size-8 text-accent" strokeWidth={1.5} />
      <p className="font-semibold [overflow-wrap:anywhere]">
        <bdi>{name}</bdi>
      </p>
      <p className="text-ink-soft text-sm">{t('This file is stored unchanged.')}</p>
      <p className="text-ink-faint text-sm tabular-nums">{size}</p>
      <Button icon={Download} onClick={onDownload}>
        {t('Download')}
      </Button>
    </section>
  )
}
