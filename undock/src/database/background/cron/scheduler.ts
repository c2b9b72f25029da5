import { sql, statement } from '../../../kernel/sql.ts'
import type { BackgroundOptions, Worker } from '../background.ts'
import { nextTime, parseSchedule, type Schedule } from './schedule.ts'

type Job = {
  readonly jobid: string
  readonly schedule: string
  readonly command: string
  readonly database: string
  readonly username: string
}
type Planned = Job & { readonly when: Schedule; due: Date | null }

/** A timer's longest time, so that a machine that slept finds what was due soon after. */
const LONGEST_WAIT = 60_000
/** Milliseconds that the clock may be put right by; one that goes back further has its jobs planned anew, for what was due
 *  may be days away now. */
const CORRECTION = 60_000

/** Runs pg_cron's jobs at their time, one after the other, each as its user. A job whose times were missed, because the
 *  machine slept or a test turned the clock, runs once for all of them. @see citusdata/pg_cron src/pg_cron.c */
export async function startScheduler({ db, clock, log }: BackgroundOptions): Promise<Worker> {
  let jobs = new Map<string, Planned>()
  let timer: NodeJS.Timeout | undefined
  let latest = clock.now()
  let closed = false
  let work: Promise<void> = Promise.resolve()
  const inOrder = (task: () => Promise<void>): void => {
    work = work
      .then(() => (closed ? undefined : task()))
      .catch((error: unknown) => {
        if (!closed) log.error('Jobs of pg_cron could not be run', error)
      })
      .then(plan)
  }

  async function read(): Promise<void> {
    const found = await readJobs()
    const before = jobs
    jobs = new Map()
    for (const job of found) {
      const known = before.get(job.jobid)
      // One that only got another command keeps its time.
      if (known && known.schedule === job.schedule) jobs.set(job.jobid, { ...known, ...job })
      else {
        const when = parseSchedule(job.schedule)
        if (when) jobs.set(job.jobid, { ...job, when, due: nextTime(when, clock.now()) })
      }
    }
  }

  async function readJobs(): Promise<Job[]> {
    const { rows } = await db.query<{ there: boolean }>(
      statement(sql`select to_regclass('cron.job') is not null as there`),
    )
    if (!rows[0]?.there) return []
    const jobs = await db.query<Job>(
      statement(sql`select jobid, schedule, command, database, username from cron.job where active order by jobid`),
    )
    return jobs.rows
  }

  function plan(): void {
    clearTimeout(timer)
    if (closed) return
    const dues = [...jobs.values()].flatMap(({ due }) => due?.getTime() ?? [])
    if (dues.length === 0) return
    const wait = Math.min(...dues) - clock.now().getTime()
    timer = setTimeout(() => inOrder(runDue), Math.min(Math.max(wait, 0), LONGEST_WAIT))
    timer.unref()
  }

  function readClock(): Date {
    const now = clock.now()
    if (latest.getTime() - now.getTime() > CORRECTION) {
      for (const job of jobs.values()) job.due = nextTime(job.when, now)
      latest = now
    }
    if (now > latest) latest = now
    return now
  }

  async function runDue(): Promise<void> {
    for (const job of [...jobs.values()]) {
      const now = readClock()
      if (closed || !job.due || job.due > now) continue
      // Counted from when it was due, so that jobs of seconds keep their pace.
      const next = nextTime(job.when, job.due)
      job.due = next && next > now ? next : nextTime(job.when, now)
      await run(job)
    }
  }

  async function run({ jobid, command, database, username }: Planned): Promise<void> {
    const { rows } = await db.query<{ runid: string }>(
      statement(sql`insert into cron.job_run_details (jobid, job_pid, database, username, command, status, start_time)
        values (${jobid}, pg_backend_pid(), ${database}, ${username}, ${command}, 'running', ${clock.now()})
        returning runid`),
    )
    const { status, message } = await db.runAs(username, command).then(
      (text) => ({ status: 'succeeded', message: text }),
      (error: unknown) => ({ status: 'failed', message: `ERROR:  ${error instanceof Error ? error.message : error}` }),
    )
    await db.query(
      statement(sql`update cron.job_run_details
        set status = ${status}, return_message = ${message}, end_time = ${clock.now()}
        where runid = ${rows[0]?.runid}`),
    )
  }

  async function runAtStart(): Promise<void> {
    await read()
    for (const job of jobs.values()) if (job.when.kind === 'reboot') await run(job)
  }

  const look = (): void => inOrder(read)
  const unturn = clock.onTurn?.(() => inOrder(runDue))
  inOrder(runAtStart)
  return {
    look,
    async close() {
      closed = true
      clearTimeout(timer)
      unturn?.()
      await work
    },
  }
}
