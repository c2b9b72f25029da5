import { setTimeout as delay } from 'node:timers/promises'
import type { Socket } from './socket.ts'

export class OpenSockets {
  #isDraining = false
  readonly #open = new Set<Socket>()
  #sweeper: NodeJS.Timeout | null = null

  all(): Iterable<Socket> {
    return this.#open.values()
  }

  get count(): number {
    return this.#open.size
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** Tells the clients to reconnect to another node, one after another to spread the load.
   *  @param spread Milliseconds from first to last; resolves after the last, immediately without clients. */
  async drain(spread: number): Promise<void> {
    this.#isDraining = true
    if (this.count === 0) return
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
