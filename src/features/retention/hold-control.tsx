import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { liftHold, placeHold } from './mutations.ts'
import { holdsQuery } from './queries.ts'

/** The longest reason, in characters. */
const LONGEST = 500

/** The legal hold on a document, if there is one. Owners place and lift it. */
export function HoldControl({ library, document, isOwner }: { library: string; document: string; isOwner: boolean }) {
  const { data: holds } = useQuery(holdsQuery(library))
  const [isAsking, setAsking] = useState(false)
  const placing = useMutation({ ...placeHold, onError: showFailure })
  const lifting = useMutation({ ...liftHold, onError: showFailure })
  const hold = holds?.find(({ document_id }) => document_id === document)
  if (hold) {
    return (
      <Notice tone="info" title={t('Under a legal hold')}>
        <p dir="auto" className="[overflow-wrap:anywhere]">
          {hold.reason}
        </p>
        <p className="text-ink-faint text-xs">
          {[hold.author?.display_name ?? t('Somebody'), formatDate(hold.placed_at)].join(' · ')}
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
  if (!isOwner || !holds) return null
  return (
    <div>
      <Button size="small" busy={placing.isPending} onClick={() => setAsking(true)}>
        {t('Place a legal hold…')}
      </Button>
      {isAsking ? (
        <NameDialog
          title={t('While it is in force, nobody deletes this document')}
          label={t('Reason, for all who see the document')}
          initial=""
          longest={LONGEST}
          action={t('Place the hold')}
          onName={(reason) => placing.mutate({ library, document, reason })}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </div>
  )
}
