import { availableParallelism } from 'node:os'

/** Jobs that come one after another before somebody counts as alone. */
const SURE = 32
/** One of so many goes as a message, lest whoever comes beside it stay unseen. */
const SAMPLE = 128
/** Milliseconds after which another job is not expected soon any more. */
const SOON = 2.5

/** What waiting must be worth: a failure counts as eight successes, and two of them at first are forgiven. */
const FAILURE = 8
const TRIAL = 2 * FAILURE
const PROVEN = 64

/** Jobs without waiting after it was not worth it; twice as many each time until it is. */
const LEAST_REST = 32
const LONGEST_REST = 512

const HAS_CORES = availableParallelism() > 1

/** Whether there is a single client that asks one thing at once after another, and cores enough to wait awake for each other.
 *  Then nobody is kept from anything. */
export class Solitude {
  #jobs = 0
  #sureAt = SURE
  #latest = 0
  #isBusy = false
  #score = TRIAL
  #rest = LEAST_REST

  /** A job comes.
   *  @param others How many are under way. */
  note(others: number): void {
    const now = performance.now()
    this.#isBusy = now - this.#latest < SOON
    this.#latest = now
    this.#jobs += 1
    if (others > 0) this.#restFor(SURE)
  }

  /** Whether the answer to this job may be waited for. */
  get mayWait(): boolean {
    return this.#isSure && this.#jobs % SAMPLE !== 0
  }

  /** Whether the worker should watch for the next job. */
  get isBusy(): boolean {
    return this.#isSure && this.#isBusy
  }

  get #isSure(): boolean {
    return HAS_CORES && this.#jobs >= this.#sureAt
  }

  /** The answer came while it was waited for. */
  succeed(): void {
    this.#score = Math.min(this.#score + 1, PROVEN)
    if (this.#score === PROVEN) this.#rest = LEAST_REST
  }

  /** It did not, or the worker watched for nothing: where others need the cores, they get them. */
  fail(): void {
    this.#score -= FAILURE
    if (this.#score >= 0) return
    this.#score = TRIAL
    this.#restFor(this.#rest)
    this.#rest = Math.min(2 * this.#rest, LONGEST_REST)
  }

  #restFor(jobs: number): void {
    this.#sureAt = Math.max(this.#sureAt, this.#jobs + jobs)
  }
}
