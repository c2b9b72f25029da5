import { useQuery } from '@tanstack/react-query'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { problemText } from '../../domain/problem.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { indexingProgressQuery } from './queries.ts'

/** How far the reading of the library is; nothing while no document waits. */
export function IndexingProgress({ library }: { library: string }) {
  const { data } = useQuery(indexingProgressQuery(library))
  const left = data ? data.waiting + data.running : 0
  if (!data || left === 0) return null
  if (data.problem !== null) {
    return (
      <Notice
        tone="error"
        title={t('{count, plural, one {# document waits} other {# documents wait}} to be read', { count: left })}
      >
        {problemText(data.problem)} {t('Reading continues automatically once that is fixed.')}
      </Notice>
    )
  }
  const label = t('{done} of {total} documents can be found', { done: data.done, total: data.total })
  return (
    <div className="mb-4 grid gap-1.5">
      <p className="text-ink-faint text-xs tabular-nums">{label}</p>
      <Progress value={data.done / data.total} label={label} />
    </div>
  )
}
