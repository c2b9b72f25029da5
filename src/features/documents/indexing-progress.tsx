import { useQuery } from '@tanstack/react-query'
import { RotateCw, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { problemText } from '../../domain/problem.ts'
import { formatNumber } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { PERSONAL } from '../../lib/session/sign-out-cleanup.ts'
import { readFailedAgain } from './mutations.ts'
import { indexingProgressQuery } from './queries.ts'

type IndexingProgressProps = { library: string; canEdit: boolean; onShowFailed: () => void }

export function IndexingProgress({ library, ...props }: IndexingProgressProps) {
  const { data } = useQuery(indexingProgressQuery(library))
  if (!data) return null
  const pending = data.waiting + data.running
  if (pending === 0) return <Failed key={library} library={library} count={data.failed} {...props} />
  if (data.problem !== null) {
    return (
      <Notice
        tone="error"
        title={t('{count, plural, one {# document waits} other {# documents wait}} to be read', { count: pending })}
      >
        {problemText(data.problem)} {t('Reading continues automatically once that is fixed.')}
      </Notice>
    )
  }
  const done = formatNumber(data.done)
  const label = t('{done} of {total} documents can be found', { done, total: formatNumber(data.total) })
  return (
    <div className="mb-4 grid gap-1.5">
      <p className="text-ink-faint text-xs tabular-nums">{label}</p>
      <Progress value={data.done / data.total} label={label} />
    </div>
  )
}

/** Shows the number of unreadable documents until dismissed, and again if it grows. */
function Failed({ library, count, canEdit, onShowFailed }: IndexingProgressProps & { count: number }) {
  const key = `${PERSONAL}failed.${library}`
  const [dismissed, setDismissed] = useState(() => Number(localStorage.getItem(key)))
  const retrying = useAction(readFailedAgain)
  const dismiss = (count: number) => {
    localStorage.setItem(key, String(count))
    setDismissed(count)
  }
  useEffect(() => {
    if (count < dismissed) dismiss(count)
  })
  if (count <= dismissed) return null
  return (
    <Notice tone="error" className="mb-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="font-semibold">
          {t('{count, plural, one {# document could not be read} other {# documents could not be read}}', { count })}
        </p>
        <Button size="small" onClick={onShowFailed}>
          {t('Show')}
        </Button>
        {canEdit ? (
          <Button icon={RotateCw} size="small" busy={retrying.isPending} onClick={() => retrying.mutate(library)}>
            {t('Retry all')}
          </Button>
        ) : null}
        <IconButton icon={X} label={t('Dismiss')} onClick={() => dismiss(count)} />
      </div>
    </Notice>
  )
}
