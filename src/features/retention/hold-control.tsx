import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { liftHold, placeHold } from './mutations.ts'
import { holdsQuery } from './queries.ts'

export function HoldControl({ library, document, isOwner }: { library: string; document: string; isOwner: boolean }) {
  const { data: holds } = useQuery(holdsQuery(library))
  const lifting = useAction(liftHold)
  const hold = holds?.find(({ document_id }) => document_id === document)
  if (!hold) return null
  return (
    <Notice tone="info" title={t('On legal hold')}>
      <p dir="auto" className="[overflow-wrap:anywhere]">
        {hold.reason}
      </p>
      <p className="text-ink-faint text-xs">
        {[hold.author?.display_name ?? t('Someone'), formatDate(hold.placed_at)].join(' · ')}
      </p>
      {isOwner ? (
        <Button
          size="small"
          className="mt-2"
          busy={lifting.isPending}
          onClick={() => lifting.mutate({ library, document })}
        >
          {t('Lift the hold')}
        </Button>
      ) : null}
    </Notice>
  )
}

type PlaceHoldProps = { library: string; document: string; onClose: () => void }

/** Asks an owner for a reason and places a legal hold. */
export function PlaceHold({ library, document, onClose }: PlaceHoldProps) {
  const placing = useAction(placeHold)
  return (
    <NameDialog
      title={t('While the hold is active, this document can’t be deleted')}
      label={t('Reason, shown to everyone who can see the document')}
      initial=""
      column="legal_holds.reason"
      action={t('Place the hold')}
      onName={(reason) => placing.mutate({ library, document, reason })}
      onClose={onClose}
    />
  )
}
