import type { Socket } from './socket.ts'

/** All clients that are connected. */
export class OpenSockets {
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
