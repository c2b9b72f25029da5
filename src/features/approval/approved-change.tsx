import { useQuery } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextDiff } from '../../components/text-diff.tsx'
import { formatMoment } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { listed } from './names.ts'
import { approvedChangeQuery } from './queries.ts'

type ApprovedChangeProps = {
  library: string
  document: { id: string; title: string }
  version: number
  onClose: () => void
}

/** The difference between an approved version of a note and the one published before. Mounted only while open. */
export function ApprovedChange({ library, document, version, onClose }: ApprovedChangeProps) {
  const { data } = useQuery(approvedChangeQuery(library, document.id, version))
  const [after, before] = data ?? []
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('A change of “{title}”', { title: document.title })}
      description={
        after &&
        t('By {names}, approved by {approver}, {when}', {
          names: listed(after.authors.map(({ display_name }) => display_name)),
          approver: after.decider?.display_name ?? t('Someone'),
          when: formatMoment(after.decided_at ?? after.created_at),
        })
      }
      className="w-[min(64rem,calc(100vw-2rem))]"
    >
      {data === undefined ? (
        <Skeleton className="h-40" />
      ) : (
        <TextDiff label={t('Differences')} before={before?.body ?? ''} after={after?.body ?? ''} />
      )}
    </Dialog>
  )
}
