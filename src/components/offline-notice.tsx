import { onlineManager, useMutationState } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { t } from '../lib/i18n.ts'
import { isWritten } from '../lib/outbox.ts'

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)
const isOnline = () => onlineManager.isOnline()

/** Without network: says that what was read stays readable, and how much of what was done waits to go. */
export function OfflineNotice() {
  const online = useSyncExternalStore(subscribe, isOnline)
  const paused = useMutationState({
    filters: { predicate: ({ state }) => state.isPaused },
    select: ({ options }) => isWritten(options.mutationKey),
  })
  const waiting = paused.length
  const passing = paused.includes(false)
  useEffect(() => {
    if (!passing) return
    // Not all that waits outlives the page: closing it now takes a second thought.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [passing])
  if (online) return null
  return (
    <p
      role="status"
      className="flex items-center justify-center gap-2 border-line border-b bg-amber-soft px-4 py-2 text-center text-amber text-sm"
    >
      <CloudOff aria-hidden className="size-4 shrink-0" />
      {waiting > 0
        ? t(
            '{waiting, plural, one {You are offline. One change waits and goes when the network is back.} other {You are offline. # changes wait and go when the network is back.}}',
            { waiting },
          )
        : t('You are offline. What you have read stays readable.')}
    </p>
  )
}
