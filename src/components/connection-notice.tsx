import { notifyManager, onlineManager, type Query, useMutationState, useQueryClient } from '@tanstack/react-query'
import { CloudOff, RotateCw } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useSyncExternalStore } from 'react'
import { describeFailure, isOutage, isSignedOut } from '../domain/failure.ts'
import { supabase } from '../lib/backend/supabase.ts'
import { t } from '../lib/i18n/i18n.ts'
import { hasAppFiles } from '../lib/offline/app-files.ts'
import { isOfflineMutation } from '../lib/offline/outbox.ts'
import { useLeaveWarning } from '../lib/ui/window.ts'
import { IconButton } from './button.tsx'

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)
const isOnline = () => onlineManager.isOnline()

/** Shown while the browser is offline or the server fails: screens then show results from the cache. */
export function ConnectionNotice() {
  return useSyncExternalStore(subscribe, isOnline) ? <ServerNotice /> : <OfflineNotice />
}

/** Whether a result on screen couldn't be loaded. It's retried (query-client.ts). */
const isFailing = (query: Query): boolean =>
  query.state.status === 'error' && query.isActive() && isOutage(query.state.error)

function ServerNotice() {
  const queryClient = useQueryClient()
  const cache = queryClient.getQueryCache()
  const error = useSyncExternalStore(
    useCallback((listener) => cache.subscribe(notifyManager.batchCalls(listener)), [cache]),
    () => cache.getAll().find(isFailing)?.state.error,
  )
  // A rejected token is replaced. If that's refused too, the person is signed out.
  const needsToken = isSignedOut(error)
  useEffect(() => {
    if (needsToken) void supabase.auth.refreshSession()
  }, [needsToken])
  if (!error) return null
  return (
    <Banner onRetry={() => void queryClient.refetchQueries({ predicate: isFailing })}>
      {t('{problem}. What you see may be out of date. Carrel keeps trying.', { problem: describeFailure(error).title })}
    </Banner>
  )
}

/** Shows the number of unsent changes. */
function OfflineNotice() {
  const paused = useMutationState({
    filters: { predicate: ({ state }) => state.isPaused },
    select: ({ options }) => isOfflineMutation(options.mutationKey),
  })
  const waiting = paused.length
  // Unsent changes that aren't stored would be lost with the page.
  useLeaveWarning(paused.includes(false))
  return (
    <Banner>
      {waiting > 0
        ? t(
            '{waiting, plural, one {You’re offline. One change is waiting and will be sent when you’re back.} other {You’re offline. # changes are waiting and will be sent when you’re back.}}',
            { waiting },
          )
        : hasAppFiles()
          ? t('You’re offline. What you have read stays readable.')
          : t('You’re offline. This device hasn’t stored the whole app yet, so stay on this page.')}
    </Banner>
  )
}

/** Stays below the header. The bars below leave its height free (`below-*` in app.css). */
function Banner({ children, onRetry }: { children: ReactNode; onRetry?: () => void }) {
  return (
    <div
      role="status"
      data-chrome
      className="sticky top-14 z-20 flex h-11 items-center justify-center gap-2 border-line border-b bg-amber-soft px-4 text-amber text-xs sm:text-sm"
    >
      <CloudOff aria-hidden className="size-4 shrink-0" />
      <p className="line-clamp-2">{children}</p>
      {onRetry ? <IconButton icon={RotateCw} label={t('Try again')} onClick={onRetry} className="text-amber" /> : null}
    </div>
  )
}
