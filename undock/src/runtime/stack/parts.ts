import type { Listener } from '../../gateway/server.ts'
import { type Closable, closeAll } from '../../kernel/close-all.ts'

/** What a stack has to close at its end. */
export type StackParts = {
  /** Keeps a part that is closed before all parts that were added earlier.
   *  @param limit Milliseconds that closing it may take; otherwise the default.
   *  @returns the part. */
  add<T extends { close(): Promise<unknown> }>(name: string, part: T, limit?: number): T
  /** Keeps a part that is closed after all others. */
  addLast(part: Closable): void
  addListener(name: string, listener: Listener): Listener
  readonly listeners: readonly Listener[]
  /** Closes everything, however often it is called.
   *  @throws {CloseError} when a part failed or did not end in time; all others are closed then. */
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
      // First of all, so that no request reaches services of which some are closed already.
      for (const one of listeners) one.endRequests()
      stopping ??= closeAll(closables)
      return stopping
    },
  }
}

/** How long the parts of a start took. Parts start side by side, so their times may be of the same moments. */
export type Stopwatch = {
  /** Milliseconds by the part's name, of those that are done. */
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
