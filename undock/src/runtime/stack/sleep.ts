import { setTimeout as delay } from 'node:timers/promises'
import type { Console } from '../../console/index.ts'
import { queryRows } from '../../database/db.ts'
import type { ProjectDatabase } from '../../database/project/project-database.ts'
import type { Use } from '../../kernel/node-http.ts'
import type { Clock } from '../../kernel/service.ts'
import type { PublishedRecord, WakeCommand } from '../place/record.ts'
import type { StackParts } from './parts.ts'
import type { composeServices } from './services.ts'

export type StackSleep = {
  /** Returns whether the stack is used, or was since the last call: requests, sockets, sessions of the database's
   *  clients, functions, jobs. */
  isUsed(): Promise<boolean>
  /** Stops the stack and lists it as asleep.
   *  @returns false if it was used in the meantime: it then goes on. */
  fallAsleep(wake: WakeCommand): Promise<boolean>
}

type SleepParts = {
  readonly parts: StackParts
  readonly record: PublishedRecord
  readonly database: Pick<ProjectDatabase, 'db' | 'engine'>
  readonly services: Pick<Awaited<ReturnType<typeof composeServices>>, 'functions' | 'jobs'>
  readonly console: Console | null
  readonly clock: Clock
}

/** Milliseconds in which requests arrive from proxies that have just seen the stack awake. */
const GRACE = 100
/** Milliseconds for requests that are being answered. */
const DRAIN_LIMIT = 10_000

/** Watches how much a stack is used. It costs nothing before, because counting begins with the call. */
export function watchStackUse({ parts, record, database, services, console, clock }: SleepParts): StackSleep {
  const servers = [...parts.listeners, ...(console ? [console] : [])].map((one) => one.watchUse())
  let seen = -1

  async function isUsed(): Promise<boolean> {
    const jobs = await services.jobs.activity()
    const uses = [
      ...servers.map((use) => use()),
      ...jobs.map(({ running, total }) => ({ open: running, total })),
      { open: services.functions?.workers() ?? 0, total: 0 },
      await sessionsOf(database),
    ]
    const total = sum(uses.map((use) => use.total))
    const isUsed = total !== seen || uses.some(({ open }) => open > 0)
    seen = total
    return isUsed
  }

  async function nextJob(): Promise<string | null> {
    const dues = (await services.jobs.activity()).flatMap(({ due }) => due?.getTime() ?? [])
    if (dues.length === 0) return null
    // The services' clock may be ahead of the machine's.
    return new Date(Date.now() + Math.min(...dues) - clock.now().getTime()).toISOString()
  }

  return {
    isUsed,
    async fallAsleep(wake) {
      const asleep = { ...wake, since: new Date().toISOString(), wakeAt: await nextJob() }
      const awake = await record.fallAsleep(asleep).catch(() => null)
      // Nothing would find it to wake it.
      if (!awake) return false
      await delay(GRACE)
      if (await isUsed()) {
        await awake()
        return false
      }
      await Promise.all(parts.listeners.map((listener) => listener.drain(DRAIN_LIMIT)))
      await parts.stop()
      return true
    },
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/** Sessions of clients. The total also counts the stack's own, which it opens only when it is used. */
async function sessionsOf({ db, engine }: SleepParts['database']): Promise<Use> {
  // PGlite has no other clients, and the sessions of another server may be those of other programs.
  if (engine !== 'native') return { open: 0, total: 0 }
  const [use] = await queryRows<Use>(db)`
    select
      (select count(*)::int from pg_stat_activity
        where backend_type = 'client backend' and application_name not like 'undock%') as open,
      (select coalesce(sum(sessions), 0)::int from pg_stat_database) as total`
  return use ?? { open: 0, total: 0 }
}
