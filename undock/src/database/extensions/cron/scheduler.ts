import { asProjectUser } from '../../as-project-user.ts'
import { type Db, execute, queryRows } from '../../db.ts'
import type { ExtensionWorker, ExtensionWorkersOptions } from '../worker.ts'
import { nextTime, parseSchedule, type Schedule } from './schedule.ts'

type Job = {
  readonly jobid: string
  readonly schedule: string
  readonly command: string
  readonly database: string
  readonly username: string
}
type PlannedJob = Job & { readonly parsedSchedule: Schedule; due: Date | null }

/** Longest timer in milliseconds, so that due jobs are found soon after the machine wakes up. */
const MAX_TIMER = 60_000
/** Milliseconds by which the clock may be set back before all jobs are planned again. */
const MAX_CLOCK_CORRECTION = 60_000

/** Runs pg_cron's due jobs, one after the other, each as its user. A job that missed several runs, because the machine
 *  slept or a test changed the clock, runs once. @see citusdata/pg_cron src/pg_cron.c */
export async function startScheduler(options: ExtensionWorkersOptions): Promise<ExtensionWorker> {
  const { db: database, clock, log, isShared, asleepSince = null } = options
  const db = asProjectUser(database)
  const claim = isShared ? createClaim(database) : async () => true
  let jobs = new Map<string, PlannedJob>()
  let timer: NodeJS.Timeout | undefined
  let latest = clock.now()
  let tasks = 0
  let total = 0
  let closed = false
  let work: Promise<void> = Promise.resolve()
  const inOrder = (task: () => Promise<void>): void => {
    tasks += 1
    work = work
      .then(() => (closed ? undefined : task()))
      .catch((error: unknown) => {
        if (!closed) log.error('Jobs of pg_cron could not be run', error)
      })
      .then(() => {
        tasks -= 1
        plan()
      })
  }

  /** @param since From when new jobs are planned. */
  async function read(since = clock.now()): Promise<void> {
    const found = await readJobs()
    const before = jobs
    jobs = new Map()
    for (const job of found) {
      const previous = before.get(job.jobid)
      if (previous && previous.schedule === job.schedule) jobs.set(job.jobid, { ...previous, ...job })
      else {
        const parsedSchedule = parseSchedule(job.schedule)
        if (parsedSchedule) jobs.set(job.jobid, { ...job, parsedSchedule, due: nextTime(parsedSchedule, since) })
      }
    }
  }

  async function readJobs(): Promise<Job[]> {
    // A table that the project created in its place could name any role.
    const rows = await queryRows<{ there: boolean }>(db)`
      select exists (
        select from pg_class c join pg_roles r on r.oid = c.relowner
        where c.oid = to_regclass('cron.job') and c.relkind = 'r'
          and (r.rolsuper or r.oid = (select nspowner from pg_namespace where nspname = '_undock'))
      ) as there`
    if (!rows[0]?.there) return []
    const jobs = await execute<Job>(db)`select jobid, schedule, command, database, username from cron.job where active
      order by jobid`
    return jobs.rows
  }

  function nextDue(): Date | null {
    const dues = [...jobs.values()].flatMap(({ due }) => due?.getTime() ?? [])
    return dues.length === 0 ? null : new Date(Math.min(...dues))
  }

  function plan(): void {
    clearTimeout(timer)
    const due = nextDue()
    if (closed || !due) return
    const wait = due.getTime() - clock.now().getTime()
    timer = setTimeout(() => inOrder(runDue), Math.min(Math.max(wait, 0), MAX_TIMER))
    timer.unref()
  }

  function readClock(): Date {
    const now = clock.now()
    if (latest.getTime() - now.getTime() > MAX_CLOCK_CORRECTION) {
      for (const job of jobs.values()) job.due = nextTime(job.parsedSchedule, now)
      latest = now
    }
    if (now > latest) latest = now
    return now
  }

  async function runDue(): Promise<void> {
    for (const job of [...jobs.values()]) {
      const now = readClock()
      if (closed || !job.due || job.due > now) continue
      // Counted from the due time, so that intervals in seconds stay regular.
      const { due } = job
      const next = nextTime(job.parsedSchedule, due)
      job.due = next && next > now ? next : nextTime(job.parsedSchedule, now)
      if (await claim(job.jobid, due)) await run(job)
    }
  }

  async function run({ jobid, command, database, username }: PlannedJob): Promise<void> {
    total += 1
    const rows = await queryRows<{ runid: string }>(db)`insert into cron.job_run_details (jobid, job_pid, database,
      username, command, status, start_time)
      values (${jobid}, pg_backend_pid(), ${database}, ${username}, ${command}, 'running', ${clock.now()})
      returning runid`
    const { status, message } = await db.runAs(username, command).then(
      (text) => ({ status: 'succeeded', message: text }),
      (error: unknown) => ({ status: 'failed', message: `ERROR:  ${error instanceof Error ? error.message : error}` }),
    )
    await execute(db)`update cron.job_run_details
      set status = ${status}, return_message = ${message}, end_time = ${clock.now()}
      where runid = ${rows[0]?.runid}`
  }

  async function runAtStart(): Promise<void> {
    if (asleepSince) return read(asleepSince)
    await read()
    const atStart = [...jobs.values()].filter(({ parsedSchedule }) => parsedSchedule.kind === 'reboot')
    if (atStart.length === 0) return
    // For shared jobs, @reboot means the server's start, not each node's.
    const since = isShared ? await serverStart(db) : clock.now()
    for (const job of atStart) if (await claim(job.jobid, since)) await run(job)
  }

  const look = (): void => inOrder(() => read())
  const unsubscribe = clock.onAdjust?.(() => inOrder(runDue))
  inOrder(runAtStart)
  return {
    look,
    get activity() {
      return { running: tasks, total, due: nextDue() }
    },
    async close() {
      closed = true
      clearTimeout(timer)
      unsubscribe?.()
      await work
    },
  }
}

/** Claims a job's due time for one node. If that dies, the job waits for its next time, as in pg_cron. */
const createClaim =
  (db: Db) =>
  async (job: string, due: Date): Promise<boolean> => {
    const { rowCount } = await execute(db)`
      insert into _undock.job_claims as c (job, due) values (${job}, ${due})
      on conflict (job) do update set due = excluded.due where c.due < excluded.due`
    return rowCount === 1
  }

async function serverStart(db: Db): Promise<Date> {
  const rows = await queryRows<{ at: Date }>(db)`select pg_postmaster_start_time() as at`
  return rows[0]?.at ?? new Date()
}
