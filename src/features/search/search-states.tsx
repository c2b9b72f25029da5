import { RotateCw, TextSearch } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { describeFailure } from '../../domain/failure.ts'
import { t } from '../../lib/i18n/i18n.ts'

/** A placeholder that appears with a delay, so that fast responses don't flicker. */
export function SearchSkeleton() {
  return (
    <div
      role="status"
      aria-label={t('Searching')}
      className="grid animate-appear gap-4 [animation-delay:0.4s] [animation-fill-mode:backwards]"
    >
      <Skeleton className="h-28" />
      <Skeleton className="h-28" />
      <Skeleton className="h-28" />
    </div>
  )
}

type SearchFailureProps = {
  error: unknown
  isAboveResults: boolean
  onRetry: () => void
}

export function SearchFailure({ error, isAboveResults, onRetry }: SearchFailureProps) {
  const { title, advice } = describeFailure(error)
  const retry = (
    <Button icon={RotateCw} size={isAboveResults ? 'small' : 'normal'} onClick={onRetry}>
      {t('Try again')}
    </Button>
  )
  if (isAboveResults) {
    return (
      <Notice tone="error" title={title} className="mb-6">
        <p className="mb-2">{advice}</p>
        {retry}
      </Notice>
    )
  }
  return (
    <div role="alert">
      <EmptyState icon={TextSearch} title={title} action={retry}>
        {advice}
      </EmptyState>
    </div>
  )
}
