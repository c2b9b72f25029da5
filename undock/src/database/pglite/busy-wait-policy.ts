import { availableParallelism } from 'node:os'

/** After so many jobs without another one beside them, a client counts as alone. */
const JOBS_UNTIL_ALONE = 32
/** One of so many jobs is sent as a message, because a second client would not be noticed otherwise. */
const SAMPLE_INTERVAL = 128
/** Milliseconds after which no further job is expected soon. */
const MAX_PAUSE = 2.5

/** The score that decides whether waiting is worth it: a failure costs eight successes, and the first two are forgiven. */
const FAILURE_COST = 8
const INITIAL_SCORE = 2 * FAILURE_COST
const MAX_SCORE = 64

/** How many jobs go without waiting after it was not worth it; the number doubles each time until it is. */
const MIN_BACKOFF = 32
const MAX_BACKOFF = 512

const HAS_CORES = availableParallelism() > 1

/** Decides whether the main thread and the worker wait for each other without sleeping. They do so while a single client sends one
 *  request after another and there are enough cores, so that the waiting delays nobody.
 *
 *  Gain, with shared-memory-channel.ts: one connection that reads by key gets 1.4 to 1.5 times as many requests, with inserts a
 *  quarter more (docs/performance.md). */
export class BusyWaitPolicy {
  #jobs = 0
  #aloneFrom = JOBS_UNTIL_ALONE
  #latest = 0
  #isBusy = false
  #score = INITIAL_SCORE
  #backoff = MIN_BACKOFF

  /** Records that a job arrives.
   *  @param others How many jobs are under way. */
  recordJob(others: number): void {
    const now = performance.now()
    this.#isBusy = now - this.#latest < MAX_PAUSE
    this.#latest = now
    this.#jobs += 1
    if (others > 0) this.#backOff(JOBS_UNTIL_ALONE)
  }

  /** Whether the main thread may wait for the reply to this job. */
  get mayWait(): boolean {
    return this.#isAlone && this.#jobs % SAMPLE_INTERVAL !== 0
  }

  /** Whether the worker should wait for the next job without sleeping. */
  get isBusy(): boolean {
    return this.#isAlone && this.#isBusy
  }

  get #isAlone(): boolean {
    return HAS_CORES && this.#jobs >= this.#aloneFrom
  }

  /** Records that the reply came while the main thread waited. */
  recordSuccess(): void {
    this.#score = Math.min(this.#score + 1, MAX_SCORE)
    if (this.#score === MAX_SCORE) this.#backoff = MIN_BACKOFF
  }

  /** Records that the main thread or the worker waited in vain; other processes may need the cores. */
  recordFailure(): void {
    this.#score -= FAILURE_COST
    if (this.#score >= 0) return
    this.#score = INITIAL_SCORE
    this.#backOff(this.#backoff)
    this.#backoff = Math.min(2 * this.#backoff, MAX_BACKOFF)
  }

  #backOff(jobs: number): void {
    this.#aloneFrom = Math.max(this.#aloneFrom, this.#jobs + jobs)
  }
}
