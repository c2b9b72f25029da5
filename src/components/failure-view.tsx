import { useQueryClient, useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { CloudOff, Compass, RotateCw } from 'lucide-react'
import { useEffect, useEffectEvent, useState, useTransition } from 'react'
import { describeFailure, RETRY_INTERVAL } from '../domain/failure.ts'
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
  const { title, advice, worthRetrying } = describeFailure(error)
  const cache = useQueryClient().getQueryCache()
  const [query] = useState(() => cache.getAll().find(({ state }) => state.error === error))
  const [isRetrying, startRetrying] = useTransition()
  const isMissing = isMissingPart(error)
  const retry = async () => {
    if (isMissing) return location.reload()
    // This view stays until the query succeeds: a new one would be announced again, without the focus.
    await query?.fetch()
    reset()
    void router.invalidate()
  }
  const retryByItself = useEffectEvent(() => retry().catch(() => {}))

  useEffect(() => {
    const timer = worthRetrying && !isMissing ? setInterval(retryByItself, RETRY_INTERVAL) : undefined
    addEventListener('online', retryByItself)
    return () => {
      clearInterval(timer)
      removeEventListener('online', retryByItself)
    }
  }, [worthRetrying, isMissing])

  return (
    <div role="alert">
      <EmptyState
        icon={worthRetrying ? CloudOff : Compass}
        title={title}
        action={
          <>
            <Button
              icon={RotateCw}
              look={worthRetrying ? 'primary' : 'secondary'}
              busy={isRetrying}
              onClick={() => startRetrying(() => retry().catch(() => {}))}
            >
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
        {advice}
      </EmptyState>
    </div>
  )
}
