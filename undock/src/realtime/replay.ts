import { z } from 'zod'
import { asProjectUser } from '../database/as-project-user.ts'
import type { Db } from '../database/db.ts'
import { execute } from '../database/db.ts'
import { ChannelError } from './errors.ts'
import type { UserBroadcast } from './protocol/frame.ts'
import type { JoinRequest } from './protocol/join.ts'

const MAX_MESSAGES = 25

const Options = z.object({
  since: z.int().min(-62_135_596_800_000).max(253_402_300_799_999),
  limit: z.int().nullish(),
})
export type ReplayOptions = { /** Milliseconds since the epoch. */ readonly since: number; readonly limit: number }

/** Reads a private topic's latest broadcasts, oldest first. */
export type Replay = (topic: string, options: ReplayOptions) => Promise<ReplayedMessage[]>
export type ReplayedMessage = { readonly id: string; readonly broadcast: UserBroadcast }

/** Parses a join's replay options; null if it has none.
 *  @throws {ChannelError} UnableToReplayMessages on a public channel or for invalid bounds. */
export function parseReplay({ replay, isPrivate }: JoinRequest): ReplayOptions | null {
  if (replay === null) return null
  if (!isPrivate) throw new ChannelError('UnableToReplayMessages', 'Replay is not allowed for public channels')
  const parsed = Options.safeParse(replay)
  if (!parsed.success) throw new ChannelError('UnableToReplayMessages', 'Replay params are not valid')
  const { since, limit } = parsed.data
  return { since, limit: Math.max(1, Math.min(limit ?? MAX_MESSAGES, MAX_MESSAGES)) }
}

type StoredMessage = { id: string; event: string | null; payload: string | null; binary_payload: Buffer | null }

export function createReplay(db: Db): Replay {
  return async (topic, { since, limit }) => {
    const { rows } = await execute<StoredMessage>(asProjectUser(db))`select id, event, payload::text as payload,
      binary_payload from realtime.messages
      where topic = ${topic} and private and extension = 'broadcast'
        and inserted_at >= ${new Date(since).toISOString()}::timestamptz at time zone 'utc'
        and inserted_at < now() at time zone 'utc' + interval '1 minute'
      order by inserted_at desc limit ${limit}::int`.catch((cause) => {
      throw new ChannelError('UnableToReplayMessages', undefined, { cause })
    })
    return rows.reverse().map((row) => ({ id: row.id, broadcast: storedBroadcast(row, { replayed: true }) }))
  }
}

/** Converts a row of realtime.messages to a broadcast. */
export function storedBroadcast(row: StoredMessage, meta: Readonly<Record<string, unknown>> = {}): UserBroadcast {
  return {
    event: row.event ?? '',
    encoding: row.binary_payload ? 'binary' : 'json',
    payload: row.binary_payload ?? Buffer.from(row.payload ?? 'null'),
    meta: { ...meta, id: row.id },
  }
}
