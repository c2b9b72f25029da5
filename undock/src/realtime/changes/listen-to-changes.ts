import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { RealtimeDeps } from '../deps.ts'
import { ChannelError } from '../errors.ts'
import type { JoinRequest } from '../protocol/join.ts'
import type { Bearer } from '../token.ts'
import { SubscriptionError } from './params.ts'
import type { ChangeListener } from './subscriptions.ts'

/** Milliseconds before a failed subscription is retried. */
const RETRY = 5_000

const RETRY_WHILE_WAITING = 500

export const SUBSCRIBED = 'Subscribed to PostgreSQL'

type ListeningChannel = ChangeListener & {
  readonly deps: Pick<RealtimeDeps, 'changes' | 'log'>
  readonly request: JoinRequest
  readonly bearer: Bearer
  readonly isOpen: boolean
  system(extension: 'postgres_changes', status: 'ok' | 'error', message: string): void
  close(): void
}

/** Subscribes a channel to the changes its join asked for. The client gets the outcome as a `system` message. */
export async function listenToChanges(channel: ListeningChannel): Promise<void> {
  const { deps, request } = channel
  if (request.postgresChanges.length === 0) return
  try {
    await deps.changes.subscribe(channel, request.postgresChanges, channel.bearer.claims)
    if (!channel.isOpen) return deps.changes.unsubscribe(channel)
    channel.system('postgres_changes', 'ok', SUBSCRIBED)
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

export async function awaitChanges(channel: ListeningChannel, timeout: number): Promise<void> {
  const late = AbortSignal.timeout(timeout)
  try {
    await Promise.race([subscribeRepeatedly(channel, late), once(late, 'abort')])
    if (!late.aborted) return
    const reason = `Timed out after ${timeout}ms waiting for the postgres_changes subscription`
    throw new ChannelError('PostgresChangesSubscribeTimeout', reason)
  } catch (error) {
    channel.close()
    if (!(error instanceof SubscriptionError)) throw error
    channel.deps.log.warn('RealtimeDisabledForConfiguration', { reason: error.message })
    throw new ChannelError('RealtimeDisabledForConfiguration', error.message)
  }
}

async function subscribeRepeatedly(channel: ListeningChannel, late: AbortSignal): Promise<void> {
  const { deps, request, bearer } = channel
  while (!late.aborted) {
    try {
      return await deps.changes.subscribe(channel, request.postgresChanges, bearer.claims)
    } catch (error) {
      if (error instanceof SubscriptionError) throw error
      deps.log.error('UnableToSubscribeToPostgres', error)
    }
    await delay(RETRY_WHILE_WAITING)
  }
}
