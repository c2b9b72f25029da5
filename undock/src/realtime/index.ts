import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { asProjectUser } from '../database/as-project-user.ts'
import type { Db } from '../database/db.ts'
import { execute, queryRows } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import { aloneBus, type Bus } from '../kernel/bus.ts'
import type { Clock, Log, Service, UpgradeHandler } from '../kernel/service.ts'
import { NO_TRACER, type Tracer } from '../kernel/tracer.ts'
import { createAuthorization } from './authorization.ts'
import { openChanges } from './changes/changes.ts'
import { type ClientFilter, type ConnectedClients, listClients } from './connected-clients.ts'
import type { BroadcastReceiver } from './delivery.ts'
import type { RealtimeDeps } from './deps.ts'
import { createHttp } from './http.ts'
import { DEFAULT_LIMITS, type Limits, RateWindow } from './limits.ts'
import { LongPoll } from './long-poll.ts'
import { OpenSockets } from './open-sockets.ts'
import { Presence } from './presence.ts'
import { FlushScheduler } from './protocol/outbox.ts'
import { PubSub } from './pub-sub.ts'
import { receiveBroadcasts } from './remote-broadcasts.ts'
import { followPresence, publishPresence } from './remote-presence.ts'
import { createReplay } from './replay.ts'
import { relayStoredBroadcasts } from './stored-broadcasts.ts'
import { WebSockets } from './web-sockets.ts'

/** Creates the coming days' partitions of realtime.messages and drops old ones. */
export async function keepPartitions(db: Db): Promise<void> {
  const rows = await queryRows<{ missing: boolean }>(db)`select to_regclass(
      'realtime.messages_' || to_char((now() at time zone 'utc') + interval '3 days', 'YYYY_MM_DD')
    ) is null as missing`
  if (!rows[0]?.missing) return
  // A reset and the daily run may overlap: the second waits and finds the partitions.
  await execute(asProjectUser(db))`
    with alone as materialized (select pg_advisory_xact_lock(hashtextextended('_realtime.keep_partitions', 0)))
    select _realtime.keep_partitions((now() at time zone 'utc')::date) from alone`
}

export type RealtimeOptions = {
  readonly db: Db
  readonly identity: Identity
  readonly config: Config['realtime']
  readonly clock: Clock
  readonly log: Log
  readonly limits?: Partial<Limits>
  readonly tracer?: Tracer
  readonly isForeign: RealtimeDeps['isForeign']
  /** Refuses public channels, like the setting of hosted projects. */
  readonly privateOnly: boolean
  /** Connects other nodes on this database, if any; outlives the service. */
  readonly bus?: Bus
}

export type Realtime = Service & {
  readonly upgrade: UpgradeHandler
  /** Lists connected clients, newest first. */
  clients(filter: ClientFilter): ConnectedClients
  /** Refuses new clients and tells connected ones to reconnect, spread over this many seconds. Resolves after the last. */
  drain(seconds: number): Promise<void>
}

/** Broadcasts per second that REST and the database may send together. */
const SHARED_EVENTS = 10_000
/** Milliseconds between checks of partitions and subscriptions. */
const MAINTENANCE_INTERVAL = 5_000
/** The same without clients: partitions are created three days ahead. */
const IDLE_MAINTENANCE_INTERVAL = 600_000

/** Creates Realtime: broadcast, presence and row changes over WebSocket and long polling. */
export async function createRealtime({
  db,
  identity,
  clock,
  log,
  tracer = NO_TRACER,
  bus = aloneBus(randomUUID()),
  ...options
}: RealtimeOptions): Promise<Realtime> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  await keepPartitions(db)

  const pubSub = new PubSub<BroadcastReceiver>()
  const presence = new Presence({
    onDiff(key, diff) {
      const message = { kind: 'text', event: 'presence_diff', payload: JSON.stringify(diff) } as const
      pubSub.publish(key, message, ({ policies }) => (policies.presence.read === true ? null : 'policy'))
    },
    onOwnChange: (key, change) => publishPresence(bus, key, change),
  })
  const stopFollowing = followPresence(bus, presence)
  const stopReceiving = receiveBroadcasts(bus, pubSub)
  const authorization = createAuthorization(db, log)
  const changes = await openChanges(db, log, { node: bus.node, isAlone: bus.isAlone, tracer })
  const stopRelay = await relayStoredBroadcasts(db, { pubSub, limits, tracer, log })
  const deps: RealtimeDeps = {
    identity,
    clock,
    log,
    limits,
    privateOnly: options.privateOnly,
    isForeign: options.isForeign,
    authorization,
    pubSub,
    bus,
    presence,
    changes,
    replay: createReplay(db),
    tracer,
    flushScheduler: new FlushScheduler(),
    joins: new RateWindow(limits.joinsPerSecond),
    presenceEvents: new RateWindow(limits.presencePerSecond),
  }
  const open = new OpenSockets()
  const webSockets = new WebSockets(deps, open)
  const longPoll = new LongPoll(deps, open)
  const events = new RateWindow(SHARED_EVENTS)
  let maintained = performance.now()
  const maintain = async () => {
    await keepPartitions(db)
    await changes.check()
    maintained = performance.now()
  }
  const maintenance = setInterval(() => {
    // With other nodes, maintenance also renews this one's lease.
    if (bus.isAlone && open.count === 0 && performance.now() - maintained < IDLE_MAINTENANCE_INTERVAL) return
    maintain().catch((error) => log.error('JanitorFailedToDeleteOldMessages', error))
  }, MAINTENANCE_INTERVAL).unref()

  return {
    handle: createHttp({ identity, authorization, pubSub, bus, limits, events, tracer, clock, log, longPoll }),
    upgrade: (request, socket, head) => webSockets.upgrade(request, socket, head),
    clients: (filter) => listClients(open.all(), filter),
    drain: (seconds) => open.drain(seconds * 1_000),
    async onDatabaseReplaced(replacement) {
      // A reopened database may not accept queries yet: the next maintenance, due now, restores what's missing.
      if (replacement === 'reopened') maintained = Number.NEGATIVE_INFINITY
      else {
        await keepPartitions(db)
        await changes.restart()
      }
    },
    async close() {
      clearInterval(maintenance)
      open.close()
      webSockets.close()
      stopReceiving()
      stopFollowing()
      await stopRelay()
      await changes.close()
    },
  }
}
