import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { READ_ONLY } from '../../features/reader/anchors.ts'
import { DocumentView } from '../../features/reader/document-view.tsx'
import { useFinding } from '../../features/reader/finding.ts'
import { type SharedDocument, sharedFileQuery } from '../../features/sharing/queries.ts'
import { sharedPictureQueries } from '../../features/sharing/shared-pictures.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { saveBlob } from '../../lib/ui/save-blob.ts'

export function SharedView({ token, shared }: { token: string; shared: SharedDocument }) {
  const queryClient = useQueryClient()
  const pictures = useMemo(() => sharedPictureQueries(token), [token])
  const finding = useFinding(shared.mime_type === 'application/pdf')
  const isFile = shared.mime_type !== null && shared.body === null
  const download = () =>
    queryClient
      .fetchQuery(sharedFileQuery(token, false))
      .then((file) => saveBlob(file, shared.file_name ?? shared.title), showFailure)
  return (
    <>
      {isFile ? (
        <Button icon={Download} size="small" look="quiet" className="-ms-2.5 -mt-4 mb-4" onClick={download}>
          {t('Download')}
        </Button>
      ) : null}
      <DocumentView
        document={{
          ...shared,
          // There is only one document, so its file and copy need no paths.
          version: shared.mime_type
            ? {
                ...shared,
                mime_type: shared.mime_type,
                storage_path: isFile ? 'file' : null,
                rendition_path: shared.has_copy ? 'copy' : null,
              }
            : null,
        }}
        pictures={pictures}
        files={(path) => sharedFileQuery(token, path === 'copy')}
        onDownload={download}
        onPage={() => {}}
        goTo={undefined}
        finding={finding}
        {...READ_ONLY}
      />
    </>
  )
}
