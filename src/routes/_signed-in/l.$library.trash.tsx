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
import { counted } from '../../features/documents/use-shelf-actions.ts'
import { t } from '../../lib/i18n.ts'
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
  usePageTitle(t('Trash'))

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
            title: t('“{title}” is on the shelf again', { title }),
            action: { label: t('Undo'), onClick: () => change.mutate({ documents: [id], deleted: true }) },
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
    <div className="mx-auto grid w-full max-w-4xl grid-cols-1 gap-6 px-4 py-6 sm:px-8">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1 className="font-semibold font-serif text-[1.75rem] leading-tight tracking-tight">{t('Trash')}</h1>
          <p className="text-ink-faint text-sm">
            {t('What is deleted stays here for {days} days, then it is gone.', { days: TRASH_DAYS })}
          </p>
        </div>
        {isOwner && documents.length > 0 ? (
          <Button look="danger" size="small" onClick={() => setDoomed(documents)}>
            <Trash2 aria-hidden />
            {t('Empty the trash')}
          </Button>
        ) : null}
      </div>
      {documents.length === 0 ? (
        <EmptyState icon={Trash2} title={t('Nothing in the trash')}>
          {t('Whatever is deleted from the shelf can be restored from here.')}
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
        title={t(
          '{count, plural, =1 {Delete “{title}” for good?} other {Delete # documents for good?}}',
          counted(doomed),
        )}
        description={t('With every version, comment and highlight. This is the one thing here that cannot be undone.')}
      >
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={() => setDoomed([])}>
            {t('Keep')}
          </Button>
          <Button look="danger" busy={deletion.isPending} onClick={() => deletion.mutate(doomed.map(({ id }) => id))}>
            {t('Delete for good')}
          </Button>
        </div>
      </Dialog>
    </div>
  )
}
