import { expect, test } from 'vitest'
import { SessionLock } from './session-lock.ts'

test.each(['exclusive', 'pipelined'] as const)(
  '%s work that throws at once releases the lock for those who wait',
  async (mode) => {
    const lock = new SessionLock(60_000)
    let release = (): void => undefined
    const first = lock.enter('exclusive', () => new Promise<void>((resolve) => (release = resolve)))
    const failing = lock.enter(mode, () => {
      throw new Error('The engine was restarted')
    })
    const last = lock.enter('exclusive', async () => 'done')
    release()
    await first
    await expect(failing).rejects.toThrow('The engine was restarted')
    expect(await last).toBe('done')
  },
)
