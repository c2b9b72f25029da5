import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { deleteForGood, setDeleted } from '../../features/documents/mutations.ts'
import { type Trashed, trashQuery } from '../../features/documents/queries.ts'
import { countAndTitle } from '../../features/documents/shelf/use-shelf-actions.ts'
import { TrashList } from '../../features/documents/trash-list.tsx'
import { useRole } from '../../features/members/use-role.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { showToast } from '../../lib/ui/toast.ts'

const route = getRouteApi('/_signed-in/l/$library/trash')

export function TrashScreen() {
  const { library } = route.useParams()
  const { data: documents } = useSuspenseQuery(trashQuery(library))
  const isOwner = useRole(library) === 'owner'
  const [toDelete, setToDelete] = useState<readonly Trashed[]>([])
  usePageTitle(t('Trash'))

  const change = useAction(setDeleted)
  const restore = ({ id, title }: Trashed) =>
    change.mutate(
      { library, documents: [id], deleted: false },
      {
        onSuccess: () =>
          showToast({
            title: t('“{title}” was restored', { title }),
            action: { label: t('Undo'), onClick: () => change.mutate({ library, documents: [id], deleted: true }) },
          }),
      },
    )
  const deletion = useAction(deleteForGood, { onSettled: () => setToDelete([]) })
  return (
    <div className="grid w-full max-w-4xl grid-cols-1 gap-6 px-4 py-6 sm:px-8">
      <PageHeading
        title={t('Trash')}
        aside={
          isOwner && documents.length > 0 ? (
            <Button icon={Trash2} look="danger" size="small" onClick={() => setToDelete(documents)}>
              {t('Empty the trash')}
            </Button>
          ) : null
        }
      >
        {t('Deleted documents stay here for a while before they’re removed permanently.')}
      </PageHeading>
      {documents.length === 0 ? (
        <EmptyState icon={Trash2} title={t('Nothing in the trash')}>
          {t('Documents deleted from the shelf can be restored here.')}
        </EmptyState>
      ) : (
        <TrashList
          documents={documents}
          isOwner={isOwner}
          onRestore={restore}
          onDelete={(document) => setToDelete([document])}
        />
      )}
      <ConfirmDialog
        open={toDelete.length > 0}
        title={t(
          '{count, plural, =1 {Delete “{title}” permanently?} other {Delete # documents permanently?}}',
          countAndTitle(toDelete),
        )}
        action={t('Delete permanently')}
        busy={deletion.isPending}
        onConfirm={() => deletion.mutate({ library, documents: toDelete.map(({ id }) => id) })}
        onClose={() => setToDelete([])}
      >
        {t('Including every version, comment and highlight. This can’t be undone.')}
      </ConfirmDialog>
    </div>
  )
}
