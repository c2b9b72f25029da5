import { z } from 'zod'

/** Older clients send booleans as text. */
const Flag = z.union([
  z.boolean(),
  z
    .string()
    .toLowerCase()
    .pipe(z.enum(['true', 'false']))
    .transform((text) => text === 'true'),
])
const flag = Flag.nullish()
  .catch(null)
  .transform((value) => value ?? false)

/** Like upstream, invalid fields are logged and ignored. */
const Config = z.object({
  private: flag,
  broadcast: z
    .object({
      ack: flag,
      self: flag,
      replication_ready: flag,
      replay: z.unknown().optional(),
    })
    .nullish()
    .catch(null),
  presence: z.object({ enabled: flag, key: z.unknown().optional() }).nullish().catch(null),
  postgres_changes: z
    .array(z.record(z.string(), z.unknown()).nullable())
    .nullish()
    .catch(null)
    .transform((list) => (list ?? []).filter((one) => one !== null)),
  postgres_changes_options: z
    .object({ wait: flag, timeout: z.int().positive().nullish().catch(null) })
    .nullish()
    .catch(null),
})

const Join = z.object({
  config: Config.nullish().catch(null),
  access_token: z.string().nullish().catch(null),
  user_token: z.string().nullish().catch(null),
})

export type JoinRequest = {
  readonly token: string | null
  readonly isPrivate: boolean
  readonly ack: boolean
  readonly self: boolean
  readonly replicationReady: boolean
  /** As the client wrote it; null without replay. */
  readonly replay: unknown
  readonly presence: boolean
  readonly presenceKey: string | null
  readonly postgresChanges: readonly Readonly<Record<string, unknown>>[]
  /** Milliseconds the reply may wait for the change subscriptions; null to reply first. */
  readonly changesWait: number | null
  /** Clients older than `config` put schema, table and filter in the topic and get the bare change. */
  readonly legacy: boolean
}

/** Milliseconds a join may wait for its subscriptions: the maximum and the default. */
const MAX_WAIT = 20_000
const DEFAULT_WAIT = 15_000

/** Parses the payload of a `phx_join` (phx_join.schema.json, RealtimeWeb.Channels.Payloads.Join). */
export function parseJoin(payload: unknown, subTopic: string): JoinRequest {
  const parsed = Join.safeParse(payload)
  const { config, access_token, user_token } = parsed.success
    ? parsed.data
    : { config: null, access_token: null, user_token: null }
  const legacy = !(typeof payload === 'object' && payload !== null && 'config' in payload)
  const key = config?.presence?.key
  const postgresChanges = legacy ? [legacyChange(subTopic)] : (config?.postgres_changes ?? [])
  const options = config?.postgres_changes_options
  const waits = options?.wait === true && postgresChanges.length > 0
  return {
    token: user_token ?? access_token ?? null,
    isPrivate: config?.private ?? false,
    ack: config?.broadcast?.ack ?? false,
    self: config?.broadcast?.self ?? false,
    replicationReady: config?.broadcast?.replication_ready ?? false,
    replay: config?.broadcast?.replay ?? null,
    presence: config?.presence?.enabled ?? false,
    presenceKey: key === null || key === undefined || key === '' ? null : String(key),
    postgresChanges,
    changesWait: waits ? Math.min(options.timeout ?? DEFAULT_WAIT, MAX_WAIT) : null,
    legacy,
  }
}

function legacyChange(subTopic: string): Record<string, string> {
  const [schema = '', table, ...filter] = subTopic.split(':')
  if (table === undefined) return { schema }
  return filter.length === 0 ? { schema, table } : { schema, table, filter: filter.join(':') }
}
