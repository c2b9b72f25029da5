import type { Listener } from '../../gateway/server.ts'
import { type Closable, closeAll } from '../../kernel/promises.ts'

/** The parts a stack closes when it stops. */
export type StackParts = {
  /** Adds a part, closed before all earlier ones.
   *  @param limit Milliseconds it may take to close, instead of the default.
   *  @returns the part. */
  add<T extends { close(): Promise<unknown> }>(name: string, part: T, limit?: number): T
  /** Adds a part to close after all others. */
  addLast(part: Closable): void
  addListener(name: string, listener: Listener): Listener
  readonly listeners: readonly Listener[]
  /** Closes everything; can be called repeatedly.
   *  @throws {CloseError} if a part failed or timed out; all others are closed by then. */
  stop(): Promise<void>
}

export function createStackParts(): StackParts {
  const closables: Closable[] = []
  const listeners: Listener[] = []
  let stopping: Promise<void> | undefined
  const add: StackParts['add'] = (name, part, limit) => {
    closables.unshift({ name, close: () => part.close(), ...(limit !== undefined && { limit }) })
    return part
  }
  return {
    add,
    addLast: (part) => void closables.push(part),
    addListener(name, listener) {
      listeners.push(listener)
      return add(name, listener)
    },
    listeners,
    stop() {
      // First, so no request reaches a closed service.
      for (const one of listeners) one.endRequests()
      stopping ??= closeAll(closables)
      return stopping
    },
  }
}

/** Start times of parts. Parts start in parallel, so their times overlap. */
export type Stopwatch = {
  /** Milliseconds by the name of each finished part. */
  readonly times: ReadonlyMap<string, number>
  time<T>(part: string, start: () => T | Promise<T>): Promise<T>
}

export function createStopwatch(now: () => number = () => performance.now()): Stopwatch {
  const times = new Map<string, number>()
  return {
    times,
    async time(part, start) {
      const since = now()
      const started = await start()
      times.set(part, now() - since)
      return started
    },
  }
}
