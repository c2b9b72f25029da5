import { useQuery } from '@tanstack/react-query'
import { isScan, recognitionLanguages } from '../../domain/recognition.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { ScanNotice } from '../../features/recognition/scan-notice.tsx'
import { pagesLeft } from './document-model.ts'

type ScanPanelProps = { library: string; document: OpenDocument; canEdit: boolean; isOwner: boolean }

/** What is known of a document's pages that are pictures, and how they are read. */
export function ScanPanel({ library, document, canEdit, isOwner }: ScanPanelProps) {
  const { data: settings } = useQuery(libraryQuery(library))
  const isWithoutText = isScan(document)
  if (!settings || (document.state !== 'ready' && !isWithoutText)) return null
  return (
    <ScanNotice
      library={library}
      document={document}
      left={pagesLeft(document.version)}
      isWithoutText={isWithoutText}
      isOn={recognitionLanguages(settings.recognition_languages).length > 0}
      canEdit={canEdit}
      canChangeSettings={isOwner}
    />
  )
}
