import { useQuery } from '@tanstack/react-query'
import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { fileRequestsQuery, waitingOf } from '../../features/file-requests/queries.ts'
import { ReceivedFiles } from '../../features/file-requests/received-files.tsx'
import { RequestFilesDialog } from '../../features/file-requests/request-files-dialog.tsx'
import { t } from '../../lib/i18n/i18n.ts'

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

function WaitingFiles({ library, collection }: { library: string; collection: string }) {
  const [open, setOpen] = useState(false)
  const { data: requests = [] } = useQuery(fileRequestsQuery(library))
  const files = requests.filter(({ collection_id }) => collection_id === collection).flatMap(waitingOf)
  if (files.length === 0) return null
  return (
    <div className="mb-4 flex flex-wrap items-center gap-3 rounded-lg border border-line bg-surface px-4 py-2.5 text-sm">
      <Inbox aria-hidden className="size-4 text-accent" />
      <p className="me-auto">
        {t('{count, plural, one {A received file is} other {# received files are}} waiting for you', {
          count: files.length,
        })}
      </p>
      <Button size="small" onClick={() => setOpen(true)}>
        {t('Review')}
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={t('Received files')}>
        <ReceivedFiles library={library} files={files} />
      </Dialog>
    </div>
  )
}
