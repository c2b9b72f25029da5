import type { Channel } from '../channel.ts'
import { SubscriptionError } from './params.ts'

/** Milliseconds before a subscription that failed in the database is tried again. */
const RETRY = 5_000

/** Subscribes a channel to the changes that its join asked for, with its current claims; `system` messages report the
 *  outcome to the client. */
export async function listenToChanges(channel: Channel): Promise<void> {
  const { deps, request } = channel
  if (request.postgresChanges.length === 0) return
  try {
    await deps.changes.subscribe(channel, request.postgresChanges, channel.bearer.claims)
    if (!channel.isOpen) return deps.changes.unsubscribe(channel)
    channel.system('postgres_changes', 'ok', 'Subscribed to PostgreSQL')
  } catch (error) {
    if (!channel.isOpen) return
    if (error instanceof SubscriptionError) {
      deps.log.warn('RealtimeDisabledForConfiguration', { reason: error.message })
      return channel.system('postgres_changes', 'error', error.message)
    }
    deps.log.error('UnableToSubscribeToPostgres', error)
    channel.system('postgres_changes', 'error', 'Unable to subscribe to PostgreSQL, trying again')
    setTimeout(() => channel.isOpen && void listenToChanges(channel), RETRY).unref()
  }
}
