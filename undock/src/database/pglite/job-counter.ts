/** The indexes of the shared numbers: how many jobs have begun, and whether a thread keeps that number from changing. */
const BEGUN = 0
const LOCKED = 1
const NUMBERS = 2

/** Counts the jobs that the worker begins, in numbers that it shares with the main thread. */
export class JobCounter {
  /** The numbers, for the counter of the other thread. */
  readonly numbers: Int32Array<SharedArrayBuffer>

  constructor(numbers = new Int32Array(new SharedArrayBuffer(NUMBERS * Int32Array.BYTES_PER_ELEMENT))) {
    this.numbers = numbers
  }

  /** How many jobs have begun; the number wraps around after 2^31. */
  get begun(): number {
    return Atomics.load(this.numbers, BEGUN)
  }

  /** Worker: counts a job that begins.
   *  @param prepare Done before, while the main thread does nothing to a job. */
  begin(prepare: () => void): void {
    this.#lock()
    prepare()
    Atomics.add(this.numbers, BEGUN, 1)
    this.#unlock()
  }

  /** Main thread: does a moment's work if the job with this number was the last to begin. No other job begins meanwhile.
   *  @returns whether it was done. */
  whileRunning(job: number, work: () => void): boolean {
    this.#lock()
    try {
      const isRunning = this.begun === job
      if (isRunning) work()
      return isRunning
    } finally {
      this.#unlock()
    }
  }

  /** Waits without sleeping, because the other thread holds the lock for less than a microsecond. */
  #lock(): void {
    // Node 22 has no `Atomics.pause`, which only saves power.
    while (Atomics.compareExchange(this.numbers, LOCKED, 0, 1) !== 0) Atomics.pause?.()
  }

  #unlock(): void {
    Atomics.store(this.numbers, LOCKED, 0)
  }
}
