import { useQuery } from '@tanstack/react-query'
import { BadgeCheck } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { approvalQuery } from '../../features/approval/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'

const ApprovalDialog = lazy(() =>
  import('../../features/approval/approval-dialog.tsx').then((it) => ({ default: it.ApprovalDialog })),
)

type ApprovalMarkProps = { library: string; collection: { id: string; name: string } }

/** Says of a collection that changes in it need approval, where they do, and opens by whom. */
export function ApprovalMark({ library, collection }: ApprovalMarkProps) {
  const { data: approval } = useQuery(approvalQuery(library, collection.id))
  const role = useRole(library)
  const [isOpen, setOpen] = useState(false)
  if (!approval?.is_required) return null
  return (
    <>
      <Button look="quiet" size="small" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <BadgeCheck aria-hidden />
        {t('Changes need approval')}
      </Button>
      {isOpen ? (
        <Suspense fallback={<Opening />}>
          <ApprovalDialog
            library={library}
            collection={collection}
            isOwner={role === 'owner'}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </>
  )
}
