import type { Duplex } from 'node:stream'

/** Batches a socket's frames: those of one tick go out in one write. */
export class Outbox {
  readonly #network: Duplex
  readonly #flushScheduler: FlushScheduler
  #frames: Buffer[] = []
  #bytes = 0

  constructor(network: Duplex, flushScheduler: FlushScheduler) {
    this.#network = network
    this.#flushScheduler = flushScheduler
  }

  get backlog(): number {
    return this.#bytes + this.#network.writableLength
  }

  push(frame: Buffer): void {
    if (this.#frames.push(frame) === 1) this.#flushScheduler.add(this)
    this.#bytes += frame.length
  }

  flush(): void {
    const frames = this.#frames
    this.#frames = []
    this.#bytes = 0
    if (frames.length === 0 || !this.#network.writable) return
    if (frames.length > 1) this.#network.cork()
    for (const frame of frames) this.#network.write(frame)
    if (frames.length > 1) this.#network.uncork()
  }
}

/** Flushes outboxes at the end of the tick: a single message isn't delayed, and a hundred that arrive together cost
 *  each reader one write instead of a hundred. */
export class FlushScheduler {
  #waiting: Outbox[] = []

  add(outbox: Outbox): void {
    if (this.#waiting.push(outbox) > 1) return
    setImmediate(() => {
      const outboxes = this.#waiting
      this.#waiting = []
      for (const one of outboxes) one.flush()
    })
  }
}
