import { RequestFilesDialog } from '../../features/file-requests/request-files-dialog.tsx'
import { WaitingFiles } from '../../features/file-requests/waiting-files.tsx'

type ShelfRequestsProps = {
  library: string
  collection: { id: string; name: string }
  isOpen: boolean
  onClose: () => void
}

export function ShelfRequests({ library, collection, isOpen, onClose }: ShelfRequestsProps) {
  return (
    <>
      <WaitingFiles library={library} collection={collection.id} />
      {isOpen ? <RequestFilesDialog library={library} collection={collection} onClose={onClose} /> : null}
    </>
  )
}
