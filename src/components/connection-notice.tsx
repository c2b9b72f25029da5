import { onlineManager, useMutationState } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { hasAppFiles } from '../lib/offline/app-files.ts'
import { isOfflineMutation } from '../lib/offline/outbox.ts'

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)
const isOnline = () => onlineManager.isOnline()

/** Shown offline, with the number of unsent changes. */
export function OfflineNotice() {
  const online = useSyncExternalStore(subscribe, isOnline)
  const paused = useMutationState({
    filters: { predicate: ({ state }) => state.isPaused },
    select: ({ options }) => isOfflineMutation(options.mutationKey),
  })
  const waiting = paused.length
  const hasEphemeral = paused.includes(false)
  useEffect(() => {
    if (!hasEphemeral) return
    // Unsent changes would be lost with the page, so the browser asks before closing it.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [hasEphemeral])
  if (online) return null
  return (
    <p
      role="status"
      className="flex items-center justify-center gap-2 border-line border-b bg-amber-soft px-4 py-2 text-center text-amber text-sm"
    >
      <CloudOff aria-hidden className="size-4 shrink-0" />
      {waiting > 0
        ? t(
            '{waiting, plural, one {You’re offline. One change is waiting and will be sent when you’re back.} other {You’re offline. # changes are waiting and will be sent when you’re back.}}',
            { waiting },
          )
        : hasAppFiles()
          ? t('You’re offline. What you have read stays readable.')
          : t(
              'You’re offline, and this device has not stored the whole app yet. Stay on this page until you’re back online.',
            )}
    </p>
  )
}
