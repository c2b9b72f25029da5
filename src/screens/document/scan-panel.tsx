import { isScan } from '../../domain/recognition.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { ScanNotice } from '../../features/recognition/scan-notice.tsx'
import { pagesLeft } from './document-model.ts'

type ScanPanelProps = { library: string; document: OpenDocument; canEdit: boolean; isOwner: boolean }

export function ScanPanel({ library, document, canEdit, isOwner }: ScanPanelProps) {
  const isWithoutText = isScan(document)
  if (document.state !== 'ready' && !isWithoutText) return null
  return (
    <ScanNotice
      library={library}
      document={document}
      left={pagesLeft(document.version)}
      isWithoutText={isWithoutText}
      canEdit={canEdit}
      canChangeSettings={isOwner}
    />
  )
}
