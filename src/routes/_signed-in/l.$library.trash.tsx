import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { deleteForGood, setDeleted } from '../../features/documents/mutations.ts'
import { type Trashed, trashQuery } from '../../features/documents/queries.ts'
import { TRASH_DAYS, TrashList } from '../../features/documents/trash-list.tsx'
import { plural } from '../../lib/format.ts'
import { keys } from '../../lib/keys.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { say, sayFailure } from '../../lib/toast.ts'
import { useRole } from './-role.ts'

export const Route = createFileRoute('/_signed-in/l/$library/trash')({
  loader: ({ context, params }) => context.queryClient.query({ ...trashQuery(params.library), staleTime: 'static' }),
  component: Trash,
})

function Trash() {
  const { library } = Route.useParams()
  const queryClient = useQueryClient()
  const { data: documents } = useSuspenseQuery(trashQuery(library))
  const isOwner = useRole(library) === 'owner'
  const [doomed, setDoomed] = useState<readonly Trashed[]>([])
  usePageTitle('Trash')

  const onSettled = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: keys.trash(library) }),
      queryClient.invalidateQueries({ queryKey: keys.documents(library) }),
      queryClient.invalidateQueries({ queryKey: keys.search(library) }),
    ])
  const change = useMutation({ ...setDeleted, onError: sayFailure, onSettled })
  const restore = ({ id, title }: Trashed) =>
    change.mutate(
      { documents: [id], deleted: false },
      {
        onSuccess: () =>
          say({
            title: `“${title}” is on the shelf again`,
            action: { label: 'Undo', onClick: () => change.mutate({ documents: [id], deleted: true }) },
          }),
      },
    )
  const deletion = useMutation({
    ...deleteForGood,
    onError: sayFailure,
    onSettled: () => {
      setDoomed([])
      return onSettled()
    },
  })
  return (
    <div className="mx-auto grid w-full max-w-4xl gap-6 px-4 py-6 sm:px-8">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1 className="font-semibold font-serif text-[1.75rem] leading-tight tracking-tight">Trash</h1>
          <p className="text-ink-faint text-sm">What is deleted stays here for {TRASH_DAYS} days, then it is gone.</p>
        </div>
        {isOwner && documents.length > 0 ? (
          <Button look="danger" size="small" onClick={() => setDoomed(documents)}>
            <Trash2 aria-hidden />
            Empty the trash
          </Button>
        ) : null}
      </div>
      {documents.length === 0 ? (
        <EmptyState icon={Trash2} title="Nothing in the trash">
          Whatever is deleted from the shelf can be restored from here.
        </EmptyState>
      ) : (
        <TrashList
          documents={documents}
          isOwner={isOwner}
          onRestore={restore}
          onDelete={(document) => setDoomed([document])}
        />
      )}
      <Dialog
        open={doomed.length > 0}
        onOpenChange={() => setDoomed([])}
        title={
          doomed.length === 1
            ? `Delete “${doomed[0]?.title}” for good?`
            : `Delete ${plural(doomed.length, 'document')} for good?`
        }
        description="With every version, comment and highlight. This is the one thing here that cannot be undone."
      >
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={() => setDoomed([])}>
            Keep
          </Button>
          <Button look="danger" busy={deletion.isPending} onClick={() => deletion.mutate(doomed.map(({ id }) => id))}>
            Delete for good
          </Button>
        </div>
      </Dialog>
    </div>
  )
}
