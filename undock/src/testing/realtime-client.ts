import type { RealtimeChannel } from '@supabase/supabase-js'

/** Joins and resolves with the first status, and the error if there is one. */
export const join = (channel: RealtimeChannel) =>
  new Promise<string>((resolve) => {
    channel.subscribe((status, error) => resolve(error ? `${status}: ${error.message}` : status))
  })

/** The next `system` message. */
export const systemMessage = (channel: RealtimeChannel) =>
  new Promise<Record<string, unknown>>((resolve) => {
    channel.on('system', {}, resolve)
  })

/** Joins and waits until the channel listens to row changes.
 *  @throws when it may not. */
export async function joined(channel: RealtimeChannel): Promise<RealtimeChannel> {
  const subscribed = systemMessage(channel)
  const status = await join(channel)
  if (status !== 'SUBSCRIBED') throw new Error(status)
  const { message } = await subscribed
  if (message !== 'Subscribed to PostgreSQL') throw new Error(String(message))
  return channel
}
