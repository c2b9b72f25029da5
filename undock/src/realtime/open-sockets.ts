import { setTimeout as delay } from 'node:timers/promises'
import type { Socket } from './socket.ts'

/** All clients that are connected. */
export class OpenSockets {
  #isDraining = false
  readonly #open = new Set<Socket>()
  /** Null while nobody is connected. */
  #sweeper: NodeJS.Timeout | null = null

  /** In the order in which they connected. */
  all(): Iterable<Socket> {
    return this.#open.values()
  }

  get count(): number {
    return this.#open.size
  }

  /** Whether clients are sent away. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  /** Tells the clients to connect again, where another node answers: one after another, so that they do not all come at once.
   *  @param spread Milliseconds from the first to the last; resolves after the last. */
  async drain(spread: number): Promise<void> {
    this.#isDraining = true
    const step = spread / this.count
    let position = 0
    for (const socket of this.#open) socket.retire(step * position++)
    await delay(spread)
  }

  add(socket: Socket): void {
    this.#open.add(socket)
    this.#sweeper ??= setInterval(() => {
      for (const one of this.#open) one.sweep()
    }, 1_000).unref()
  }

  /** The connection of a client is gone. */
  remove(socket: Socket): void {
    this.#open.delete(socket)
    if (this.#open.size === 0) this.#stopSweeping()
    socket.end()
  }

  close(): void {
    this.#stopSweeping()
    for (const socket of this.#open) socket.close()
  }

  #stopSweeping(): void {
    if (this.#sweeper) clearInterval(this.#sweeper)
    this.#sweeper = null
  }
}
