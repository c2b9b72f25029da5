import { setTimeout as delay } from 'node:timers/promises'
import type { Socket } from './socket.ts'

/** All clients that are connected. */
export class OpenSockets {
  #isDraining = false
  readonly #open = new Set<Socket>()
  readonly #sweeper = setInterval(() => {
    for (const socket of this.#open) socket.sweep()
  }, 1_000).unref()

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
  }

  /** The connection of a client is gone. */
  remove(socket: Socket): void {
    this.#open.delete(socket)
    socket.end()
  }

  close(): void {
    clearInterval(this.#sweeper)
    for (const socket of this.#open) socket.close()
  }
}
