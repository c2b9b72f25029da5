import { RequestFilesDialog } from '../../features/file-requests/request-files-dialog.tsx'
import { WaitingFiles } from '../../features/file-requests/waiting-files.tsx'

type ShelfRequestsProps = {
  library: string
  collection: { id: string; name: string }
  /** Whether the dialog is open. */
  isOpen: boolean
  onClose: () => void
}

/** A collection's received files, and the dialog for a new request. */
export function ShelfRequests({ library, collection, isOpen, onClose }: ShelfRequestsProps) {
  return (
    <>
      <WaitingFiles library={library} collection={collection.id} />
      {isOpen ? <RequestFilesDialog library={library} collection={collection} onClose={onClose} /> : null}
    </>
  )
}
