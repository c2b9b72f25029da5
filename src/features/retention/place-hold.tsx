import { useMutation } from '@tanstack/react-query'
import { NameDialog } from '../../components/name-dialog.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { placeHold } from './mutations.ts'

type PlaceHoldProps = { library: string; document: string; onClose: () => void }

/** Asks an owner for a reason and places a legal hold. */
export function PlaceHold({ library, document, onClose }: PlaceHoldProps) {
  const placing = useMutation({ ...placeHold, onError: showFailure })
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
