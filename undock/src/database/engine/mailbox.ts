/** Where each number stands: how many jobs have begun, whether the worker watches, the bytes of the job and of the reply
 *  that lie here, and whether somebody waits for the reply. */
const BEGUN = 0
const WATCHED = 1
const JOB = 2
const REPLY = 3
const WAITING = 4
const NUMBERS = 5

/** In the place of a job: there are messages. */
const CALLED = -1

const NOBODY = 0
const SOMEBODY = 1
const ANSWERED = 2

const START_OF_ROOM = NUMBERS * Int32Array.BYTES_PER_ELEMENT
/** Bytes of a job or a reply that fits; others travel as messages. */
const ROOM = 64 * 1024

/** Milliseconds that the main thread waits for a reply before it turns to other things. */
const PATIENCE = 1
/** Milliseconds that the worker watches for another job. */
const WATCH = 2

/** Memory that the main thread and its worker share. A job that comes alone goes through it to the worker and back while both stay
 *  awake: to wake a thread that sleeps takes longer than a small query, on either way. */
export class Mailbox {
  /** To make the other side's mailbox of. */
  readonly memory: SharedArrayBuffer
  readonly #numbers: Int32Array<SharedArrayBuffer>
  readonly #room: Uint8Array<SharedArrayBuffer>

  constructor(memory = new SharedArrayBuffer(START_OF_ROOM + ROOM)) {
    this.memory = memory
    this.#numbers = new Int32Array(memory, 0, NUMBERS)
    this.#room = new Uint8Array(memory, START_OF_ROOM)
  }

  /** How many jobs have begun; it goes on below zero after 2^31. */
  get begun(): number {
    return Atomics.load(this.#numbers, BEGUN)
  }

  /** Worker: a job begins. */
  begin(): void {
    Atomics.add(this.#numbers, BEGUN, 1)
  }

  /** Main thread: gives a job to the worker, which must have no other, and waits a moment for the reply.
   *  @returns 'unseen' when the worker does not watch or the job is too large, 'later' when the reply will come as a message. */
  exchange(job: Uint8Array): Uint8Array | 'later' | 'unseen' {
    const numbers = this.#numbers
    if (job.length > ROOM || Atomics.load(numbers, WATCHED) === 0) return 'unseen'
    this.#room.set(job)
    Atomics.store(numbers, WAITING, SOMEBODY)
    Atomics.store(numbers, JOB, job.length)
    if (Atomics.load(numbers, WATCHED) === 0 && Atomics.compareExchange(numbers, JOB, job.length, 0) === job.length)
      return 'unseen'
    watch(() => Atomics.load(numbers, WAITING) !== SOMEBODY, PATIENCE)
    if (Atomics.exchange(numbers, WAITING, NOBODY) !== ANSWERED) return 'later'
    return this.#room.slice(0, Atomics.load(numbers, REPLY))
  }

  /** Main thread: a message has been sent; the worker need not watch for anything else. */
  call(): void {
    if (Atomics.load(this.#numbers, WATCHED) === 1) Atomics.compareExchange(this.#numbers, JOB, 0, CALLED)
  }

  /** Worker: does the jobs that come here, until none has come for a while or there are messages.
   *  @param work Does one, and returns the reply.
   *  @param send Sends a reply that nobody waits for here, or that does not fit.
   *  @throws what `work` throws; whoever waits for its reply gives up. */
  serve(work: (job: Uint8Array) => Uint8Array<ArrayBuffer>, send: (reply: Uint8Array<ArrayBuffer>) => void): void {
    const numbers = this.#numbers
    Atomics.store(numbers, JOB, 0)
    Atomics.store(numbers, WATCHED, 1)
    try {
      for (let length = this.#next(); length > 0; length = this.#next()) {
        this.begin()
        const reply = work(this.#room.slice(0, length))
        if (!this.#answer(reply)) send(reply)
      }
    } finally {
      Atomics.store(numbers, WATCHED, 0)
      // Only where no reply came of it: one that lies here has not been read yet, perhaps.
      Atomics.compareExchange(numbers, WAITING, SOMEBODY, NOBODY)
    }
  }

  /** @returns the length of the next job, or zero. */
  #next(): number {
    const numbers = this.#numbers
    watch(() => Atomics.load(numbers, JOB) !== 0, WATCH)
    const length = Atomics.exchange(numbers, JOB, 0)
    if (length > 0) return length
    Atomics.store(numbers, WATCHED, 0)
    // One that came in the last moment.
    const late = Math.max(Atomics.exchange(numbers, JOB, 0), 0)
    if (late > 0) Atomics.store(numbers, WATCHED, 1)
    return late
  }

  #answer(reply: Uint8Array): boolean {
    const numbers = this.#numbers
    if (reply.length > ROOM) {
      // It comes as a message: nobody need wait for it here.
      Atomics.store(numbers, WAITING, NOBODY)
      return false
    }
    if (Atomics.load(numbers, WAITING) !== SOMEBODY) return false
    this.#room.set(reply)
    Atomics.store(numbers, REPLY, reply.length)
    return Atomics.compareExchange(numbers, WAITING, SOMEBODY, ANSWERED) === SOMEBODY
  }
}

/** How often something is looked at before the clock is. */
const LOOKS = 50

/** Looks without sleeping until something holds or the time is up. */
function watch(holds: () => boolean, milliseconds: number): void {
  const end = performance.now() + milliseconds
  do {
    for (let look = 0; look < LOOKS; look++) {
      if (holds()) return
      Atomics.pause()
    }
  } while (performance.now() < end)
}
