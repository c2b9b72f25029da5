import type { Channel } from '../channel.ts'
import { SubscriptionRefused } from './params.ts'

/** Milliseconds until a subscription that the database could not take for another reason is tried again. */
const RETRY = 5_000

/** Subscribes a channel to what its join asked for, with the claims it has now, and tells it by `system` messages. */
export async function listenToChanges(channel: Channel): Promise<void> {
  const { deps, request } = channel
  if (request.postgresChanges.length === 0) return
  try {
    await deps.changes.subscribe(channel, request.postgresChanges, channel.bearer.claims)
    if (!channel.isOpen) return deps.changes.unsubscribe(channel)
    channel.system('postgres_changes', 'ok', 'Subscribed to PostgreSQL')
  } catch (error) {
    if (!channel.isOpen) return
    if (error instanceof SubscriptionRefused) {
      deps.log.warn('RealtimeDisabledForConfiguration', { reason: error.message })
      return channel.system('postgres_changes', 'error', error.message)
    }
    deps.log.error('UnableToSubscribeToPostgres', error)
    channel.system('postgres_changes', 'error', 'Unable to subscribe to PostgreSQL, trying again')
    setTimeout(() => channel.isOpen && void listenToChanges(channel), RETRY).unref()
  }
}
