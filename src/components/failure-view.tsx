import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { CloudOff, Compass, RotateCw } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { describeFailure } from '../domain/failure.ts'
import { t } from '../lib/i18n/i18n.ts'
import { isMissingPart } from '../lib/offline/app-files.ts'
import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'

type FailureViewProps = Pick<ErrorComponentProps, 'error'> & {
  /** For visitors without an account: no link to libraries. */
  isPublic?: boolean
}

/** Replaces a failed screen with an explanation and a way to retry or leave. */
export function FailureView({ error, isPublic = false }: FailureViewProps) {
  const router = useRouter()
  const { reset } = useQueryErrorResetBoundary()
  const failure = describeFailure(error)
  const retry = useEffectEvent(() => {
    reset()
    void router.invalidate()
  })

  useEffect(() => {
    const retryWhenOnline = () => (isMissingPart(error) ? location.reload() : retry())
    addEventListener('online', retryWhenOnline)
    return () => removeEventListener('online', retryWhenOnline)
  }, [error])
  const retryNow = () => {
    reset()
    void router.invalidate()
  }

  return (
    <div role="alert">
      <EmptyState
        icon={failure.worthRetrying ? CloudOff : Compass}
        title={failure.title}
        action={
          <>
            <Button icon={RotateCw} look={failure.worthRetrying ? 'primary' : 'secondary'} onClick={retryNow}>
              {t('Try again')}
            </Button>
            {isPublic ? null : (
              <Button asChild>
                <Link to="/">{t('My libraries')}</Link>
              </Button>
            )}
          </>
        }
      >
        {failure.advice}
      </EmptyState>
    </div>
  )
}
