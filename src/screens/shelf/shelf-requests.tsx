import { RequestFilesDialog } from '../../features/file-requests/request-files-dialog.tsx'
import { WaitingFiles } from '../../features/file-requests/waiting-files.tsx'

type ShelfRequestsProps = {
  library: string
  collection: { id: string; name: string }
  /** Whether files are being asked for. */
  isOpen: boolean
  onClose: () => void
}

/** What has arrived for a collection by a request for files, and the dialog of a new one. */
export function ShelfRequests({ library, collection, isOpen, onClose }: ShelfRequestsProps) {
  return (
    <>
      <WaitingFiles library={library} collection={collection.id} />
      {isOpen ? <RequestFilesDialog library={library} collection={collection} onClose={onClose} /> : null}
    </>
  )
}
