import * as z from 'zod/mini'

const text = z.catch(z.optional(z.string()), undefined)
const on = z.catch(z.optional(z.literal(true)), undefined)
const off = z.catch(z.optional(z.literal(false)), undefined)

export const EVENTS = ['*', 'INSERT', 'UPDATE', 'DELETE'] as const

/** Row changes that a channel listens to. @property table `*` for the whole schema. @property filter Such as `id=eq.4`. */
const ChangeFilter = z.object({
  event: z.enum(EVENTS),
  schema: z.string(),
  table: z.string(),
  filter: z.optional(z.string()),
})
export type ChangeFilter = z.infer<typeof ChangeFilter>

export const KINDS = ['broadcast', 'presence', 'change', 'system'] as const

/** A channel in the screen's address. @property as A role or a user (default: the secret key). @property presence Whether it
 *  tracks presence. @property own Whether it receives its own messages. @property key Its presence key (default: a random one). */
const ChannelSearch = z.object({
  join: on,
  topic: text,
  as: text,
  private: on,
  presence: off,
  own: off,
  key: text,
  changes: z.catch(z.optional(z.array(ChangeFilter)), undefined),
})
export type ChannelSearch = z.infer<typeof ChannelSearch>

/** The screen: its channel, the shown messages, and the open view. @property search A search in connected clients. */
export const RealtimeSearch = z.extend(ChannelSearch, {
  view: z.catch(z.optional(z.literal('clients')), undefined),
  kind: z.catch(z.optional(z.enum(KINDS)), undefined),
  text,
  search: text,
})
export type RealtimeSearch = z.infer<typeof RealtimeSearch>

/** Returns the channel's part of an address in a fixed order without unset values, for comparison. */
export const channelOf = (search: ChannelSearch): ChannelSearch => {
  const { join, topic, as, private: isPrivate, presence, own, key, changes } = search
  const channel = { join, topic: topic?.trim(), as, private: isPrivate, presence, own, key, changes }
  return JSON.parse(JSON.stringify(channel)) as ChannelSearch
}
