import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Config } from '../config/config.ts'
import type { Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import type { Clock, Log, Service } from '../kernel/service.ts'
import { sql, statement } from '../kernel/sql.ts'
import { createAuthorization } from './authorization.ts'
import { openChanges } from './changes/changes.ts'
import type { Channel } from './channel.ts'
import type { RealtimeDeps } from './deps.ts'
import { createHttp } from './http.ts'
import { Hub } from './hub.ts'
import { DEFAULT_LIMITS, type Limits, RateWindow } from './limits.ts'
import { Presence } from './presence.ts'
import { Flushes } from './protocol/outbox.ts'
import { createReplay } from './replay.ts'
import { relayStoredBroadcasts } from './stored-broadcasts.ts'
import { Sockets } from './upgrade.ts'

export type RealtimeOptions = {
  readonly db: Db
  readonly identity: Identity
  readonly config: Config['realtime']
  readonly clock: Clock
  readonly log: Log
  readonly limits?: Partial<Limits>
  /** Refuses public channels; a setting of hosted projects. */
  readonly privateOnly: boolean
}

export type Realtime = {
  readonly handle: Service
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** The database was replaced (a reset, a restored snapshot): what Realtime keeps in it is made again. Without this
   *  call it notices by itself within a few seconds. */
  restore(): Promise<void>
  close(): Promise<void>
}

/** REST and database together may send this many broadcasts a second. */
const SHARED_EVENTS = 10_000
/** Milliseconds between two looks at what the database holds for Realtime. */
const UPKEEP = 5_000

/** Channels over WebSocket: broadcast, presence and row changes. */
export async function createRealtime({ db, identity, clock, log, ...options }: RealtimeOptions): Promise<Realtime> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  await keepPartitions(db)

  const hub = new Hub<Channel>()
  const presence = new Presence((key, diff) => {
    const message = { kind: 'text', event: 'presence_diff', payload: JSON.stringify(diff) } as const
    hub.publish(key, message, ({ policies }) => policies.presence.read === true)
  })
  const authorization = createAuthorization(db, log)
  const changes = await openChanges(db, log)
  const stopRelay = await relayStoredBroadcasts(db, hub, limits, log)
  const deps: RealtimeDeps = {
    identity,
    clock,
    log,
    limits,
    privateOnly: options.privateOnly,
    authorization,
    hub,
    presence,
    changes,
    replay: createReplay(db),
    flushes: new Flushes(),
    joins: new RateWindow(limits.joinsPerSecond),
    presenceEvents: new RateWindow(limits.presencePerSecond),
  }
  const sockets = new Sockets(deps)
  const events = new RateWindow(SHARED_EVENTS)
  const restore = async () => {
    await keepPartitions(db)
    await changes.check()
  }
  const upkeep = setInterval(() => {
    restore().catch((error) => log.error('JanitorFailedToDeleteOldMessages', error))
  }, UPKEEP).unref()

  return {
    handle: createHttp({ identity, authorization, hub, limits, events, clock, log }),
    upgrade: (request, socket, head) => sockets.upgrade(request, socket, head),
    restore,
    async close() {
      clearInterval(upkeep)
      sockets.close()
      await stopRelay()
      await changes.close()
    },
  }
}

/** Makes the coming days' partitions of realtime.messages and drops the old ones, once a day. */
async function keepPartitions(db: Db): Promise<void> {
  const { rows } = await db.query<{ missing: boolean }>(
    statement(sql`select to_regclass(
      'realtime.messages_' || to_char((now() at time zone 'utc') + interval '3 days', 'YYYY_MM_DD')
    ) is null as missing`),
  )
  if (rows[0]?.missing)
    await db.query(statement(sql`select _realtime.keep_partitions((now() at time zone 'utc')::date)`))
}
