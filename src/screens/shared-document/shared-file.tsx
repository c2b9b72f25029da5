import { lazy } from 'react'
import { kindOfMediaType } from '../../domain/file-kinds.ts'
import { READ_ONLY } from '../../features/reader/anchors.ts'
import { useFinding } from '../../features/reader/finding.ts'
import { ImageView } from '../../features/reader/image-view.tsx'
import { KeptFile } from '../../features/reader/kept-file.tsx'
import { Player } from '../../features/reader/player.tsx'
import { SharedPassages, type SharedPassagesProps } from '../../features/sharing/shared-passages.tsx'
import { formatBytes } from '../../lib/i18n/format.ts'
import { saveBlob } from '../../lib/ui/save-blob.ts'

const PdfView = lazy(() =>
  import('../../features/reader/pdf/pdf-view.tsx').then(({ PdfView }) => ({ default: PdfView })),
)

type SharedFileProps = SharedPassagesProps & { file: Blob; type: string; name: string; title: string }

/** A shared file in the view for its kind, or what was read of it. */
export function SharedFile({ file, type, name, title, passages }: SharedFileProps) {
  const finding = useFinding(kindOfMediaType(type)?.show === 'pages')
  const kept = <KeptFile name={name} size={formatBytes(file.size)} onDownload={() => saveBlob(file, name)} />
  switch (kindOfMediaType(type)?.show) {
    case 'pages':
      return <PdfView file={file} {...READ_ONLY} onPage={() => {}} goTo={undefined} finding={finding} />
    case 'picture':
      return <ImageView file={file} title={title} />
    case 'player':
      return <Player file={file} type={type} title={title} otherwise={kept} />
    case 'download':
      return kept
    default:
      return <SharedPassages passages={passages} />
  }
}
