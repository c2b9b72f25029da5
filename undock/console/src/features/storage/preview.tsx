import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { TextBlock } from '../../components/copy-button.tsx'
import { Loading, Pending } from '../../components/states.tsx'
import { serviceResponse } from '../../lib/api.ts'
import { bytes } from '../../lib/format.ts'
import { encodeKey, type PreviewKind, previewKind } from './keys.ts'
import type { Entry, View } from './storage.ts'

const PdfPreview = lazy(() => import('./pdf-preview.tsx').then(({ PdfPreview }) => ({ default: PdfPreview })))

/** The number of bytes shown of a text, and the maximum size of other files. */
const MAX_TEXT_BYTES = 256 * 1024
const MAX_FILE_BYTES = 100 * 1024 * 1024

/** Shows a file without opening it as a page: markup as text, and an SVG as an image, in which scripts don't run. */
export function Preview({ view, file }: { view: View; file: Entry }) {
  const kind = previewKind(file.key, file.type)
  const size = file.size ?? 0
  if (kind === null) return <Note>A file of this type has no preview.</Note>
  if (kind !== 'text' && size > MAX_FILE_BYTES) return <Note>{`${bytes(size)} is too large for a preview.`}</Note>
  if (size === 0) return <Note>The file is empty.</Note>
  return <Content view={view} file={file} kind={kind} />
}

const Note = ({ children }: { children: string }) => (
  <p className="rounded-md border border-dashed p-4 text-center text-ink-faint text-xs">{children}</p>
)

function Content({ view: { bucket, as }, file: { key, type, size, updatedAt }, kind }: ContentProps) {
  const { data, error, refetch } = useQuery({
    // A file is released when another is shown, because a few videos would fill the memory.
    gcTime: 0,
    queryKey: ['file content', bucket, key, as, updatedAt],
    queryFn: async ({ signal }) => {
      const path = `/storage/v1/object/authenticated/${encodeURIComponent(bucket)}/${encodeKey(key)}`
      const headers = kind === 'text' ? { range: `bytes=0-${MAX_TEXT_BYTES - 1}` } : {}
      const response = await serviceResponse(path, { as, signal, headers })
      // The type is one of a known list, not the response's.
      return kind === 'text'
        ? response.text()
        : new Blob([await response.arrayBuffer()], { type: type.split(';')[0] ?? '' })
    },
  })
  if (error || data === undefined) return <Pending error={error} onRetry={refetch} label="Loading the file" />
  if (typeof data === 'string')
    return (
      <>
        <TextBlock label={`Text of ${key}`} text={data} className="max-h-96 rounded-md border bg-raised" />
        {(size ?? 0) > MAX_TEXT_BYTES ? (
          <p className="text-ink-faint text-xs">{`The first ${bytes(MAX_TEXT_BYTES)}.`}</p>
        ) : null}
      </>
    )
  if (kind === 'pdf')
    return (
      <Suspense fallback={<Loading label="Loading the file" />}>
        <PdfPreview file={data} name={key} />
      </Suspense>
    )
  return <Media file={data} kind={kind} name={key} />
}
type ContentProps = { view: View; file: Entry; kind: PreviewKind }

function Media({ file, kind, name }: { file: Blob; kind: PreviewKind; name: string }) {
  const [url, setUrl] = useState<string>()
  const [isBroken, setIsBroken] = useState(false)
  useEffect(() => {
    const url = URL.createObjectURL(file)
    setUrl(url)
    return () => URL.revokeObjectURL(url)
  }, [file])
  if (isBroken) return <Note>This browser cannot show the file. Its content may not be of its type.</Note>
  if (url === undefined) return null
  const props = { src: url, onError: () => setIsBroken(true) }
  if (kind === 'image')
    return (
      <img
        {...props}
        alt={`Preview of ${name}`}
        className="max-h-96 w-full rounded-md border bg-panel object-contain"
      />
    )
  if (kind === 'video') return <video {...props} controls className="max-h-96 w-full rounded-md border bg-panel" />
  return <audio {...props} controls className="w-full" />
}
