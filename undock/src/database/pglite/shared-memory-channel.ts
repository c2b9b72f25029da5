/** The indexes of the shared numbers: how many jobs have begun, whether the worker is watching, the lengths of the job and of the
 *  reply in the memory, whether the main thread waits for the reply, the oid of the job's user (0 for the engine's own), and whether
 *  a thread keeps the number of begun jobs from changing. */
const BEGUN = 0
const WATCHED = 1
const JOB = 2
const REPLY = 3
const WAITING = 4
const USER = 5
const LOCKED = 6
const NUMBERS = 7

/** Instead of a job's length: messages were sent. */
const CALLED = -1

const NOBODY = 0
const SOMEBODY = 1
const ANSWERED = 2

const START_OF_ROOM = NUMBERS * Int32Array.BYTES_PER_ELEMENT
/** The most bytes of a job or a reply; larger ones are sent as messages. */
const ROOM = 64 * 1024

/** Milliseconds that the main thread waits for a reply without sleeping. */
const PATIENCE = 1
/** Milliseconds that the worker waits for another job without sleeping. */
const WATCH = 2

/** Memory that the main thread and its worker share. A single job goes through it to the worker and back while both threads stay awake,
 *  because waking a sleeping thread takes longer than a small query (40 µs in each direction, docs/performance.md). */
export class SharedMemoryChannel {
  /** The memory, for the channel of the other thread. */
  readonly memory: SharedArrayBuffer
  readonly #numbers: Int32Array<SharedArrayBuffer>
  readonly #room: Uint8Array<SharedArrayBuffer>
  readonly #beforeJob: () => void

  /** @param beforeJob Worker: called before each job begins. */
  constructor(memory = new SharedArrayBuffer(START_OF_ROOM + ROOM), beforeJob = () => {}) {
    this.memory = memory
    this.#beforeJob = beforeJob
    this.#numbers = new Int32Array(memory, 0, NUMBERS)
    this.#room = new Uint8Array(memory, START_OF_ROOM)
  }

  /** How many jobs have begun; the number wraps around after 2^31. */
  get begun(): number {
    return Atomics.load(this.#numbers, BEGUN)
  }

  /** Worker: counts a job that begins. */
  begin(): void {
    this.#lock()
    this.#beforeJob()
    Atomics.add(this.#numbers, BEGUN, 1)
    this.#unlock()
  }

  /** Main thread: does a moment's work if the job with this number was the last to begin. No other job begins meanwhile.
   *  @returns whether it was done. */
  whileRunning(job: number, work: () => void): boolean {
    this.#lock()
    try {
      const isRunning = Atomics.load(this.#numbers, BEGUN) === job
      if (isRunning) work()
      return isRunning
    } finally {
      this.#unlock()
    }
  }

  /** Main thread: passes a job to the worker, which must have no other job, and waits a moment for the reply.
   *  @returns 'unseen' when the worker is not watching or the job is too large, 'later' when the reply will come as a message. */
  exchange(job: Uint8Array, user = 0): Uint8Array | 'later' | 'unseen' {
    const numbers = this.#numbers
    if (job.length > ROOM || Atomics.load(numbers, WATCHED) === 0) return 'unseen'
    this.#room.set(job)
    Atomics.store(numbers, USER, user)
    Atomics.store(numbers, WAITING, SOMEBODY)
    Atomics.store(numbers, JOB, job.length)
    if (Atomics.load(numbers, WATCHED) === 0 && Atomics.compareExchange(numbers, JOB, job.length, 0) === job.length)
      return 'unseen'
    watch(() => Atomics.load(numbers, WAITING) !== SOMEBODY, PATIENCE)
    if (Atomics.exchange(numbers, WAITING, NOBODY) !== ANSWERED) return 'later'
    return this.#room.slice(0, Atomics.load(numbers, REPLY))
  }

  /** Main thread: tells the worker to stop watching, because a message was sent. */
  call(): void {
    if (Atomics.load(this.#numbers, WATCHED) === 1) Atomics.compareExchange(this.#numbers, JOB, 0, CALLED)
  }

  /** Worker: runs jobs from the memory until none has come for a while or messages were sent.
   *  @param work Runs a job and returns its reply.
   *  @param send Sends a reply as a message, because it is too large or the main thread no longer waits for it.
   *  @throws what `work` throws; the main thread then stops waiting. */
  serve(
    work: (job: Uint8Array, user: number) => Uint8Array<ArrayBuffer>,
    send: (reply: Uint8Array<ArrayBuffer>) => void,
  ): void {
    const numbers = this.#numbers
    Atomics.store(numbers, JOB, 0)
    Atomics.store(numbers, WATCHED, 1)
    try {
      for (let length = this.#next(); length > 0; length = this.#next()) {
        this.begin()
        const reply = work(this.#room.slice(0, length), Atomics.load(numbers, USER))
        if (!this.#answer(reply)) send(reply)
      }
    } finally {
      Atomics.store(numbers, WATCHED, 0)
      // Only if there is no reply: a reply in the memory may not have been read yet.
      Atomics.compareExchange(numbers, WAITING, SOMEBODY, NOBODY)
    }
  }

  /** @returns the length of the next job, or 0. */
  #next(): number {
    const numbers = this.#numbers
    watch(() => Atomics.load(numbers, JOB) !== 0, WATCH)
    const length = Atomics.exchange(numbers, JOB, 0)
    if (length > 0) return length
    Atomics.store(numbers, WATCHED, 0)
    // A job may have come in the last moment.
    const late = Math.max(Atomics.exchange(numbers, JOB, 0), 0)
    if (late > 0) Atomics.store(numbers, WATCHED, 1)
    return late
  }

  /** Waits without sleeping, because the other thread holds the lock for less than a microsecond. */
  #lock(): void {
    while (Atomics.compareExchange(this.#numbers, LOCKED, 0, 1) !== 0) Atomics.pause()
  }

  #unlock(): void {
    Atomics.store(this.#numbers, LOCKED, 0)
  }

  #answer(reply: Uint8Array): boolean {
    const numbers = this.#numbers
    if (reply.length > ROOM) {
      // The reply comes as a message, so the main thread stops waiting.
      Atomics.store(numbers, WAITING, NOBODY)
      return false
    }
    if (Atomics.load(numbers, WAITING) !== SOMEBODY) return false
    this.#room.set(reply)
    Atomics.store(numbers, REPLY, reply.length)
    return Atomics.compareExchange(numbers, WAITING, SOMEBODY, ANSWERED) === SOMEBODY
  }
}

/** How often the condition is checked between two readings of the clock. */
const LOOKS = 50

/** Waits without sleeping until a condition holds or the time is up. */
function watch(holds: () => boolean, milliseconds: number): void {
  const end = performance.now() + milliseconds
  do {
    for (let look = 0; look < LOOKS; look++) {
      if (holds()) return
      Atomics.pause()
    }
  } while (performance.now() < end)
}
