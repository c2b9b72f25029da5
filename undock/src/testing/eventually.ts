import { vi } from 'vitest'

/** Waits until the check no longer throws: long enough for a machine that is busy with something else. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 20_000, interval: 20 })
