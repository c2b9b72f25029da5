import { type OpenScan, readScan } from './open-scan.ts'

export type BackgroundSteps = {
  /** Whether reading doesn't burden the device or delay a scan that someone waits for. */
  mayRead(): Promise<boolean>
  /** @returns null if nothing waits. */
  open(signal: AbortSignal): Promise<OpenScan | null>
  /** Resolves after this many milliseconds, or when stopped. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** Milliseconds after page load, and between checks when idle. */
const FIRST_PAUSE = 5_000
const PAUSE = 30_000

/** Recognizes waiting scans one by one until stopped. The database counts failures. */
export async function readInBackground(steps: BackgroundSteps, signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_PAUSE; !signal.aborted; ) {
    await steps.pause(pause, signal)
    const isDone = await readNext(steps, signal).catch(() => false)
    pause = isDone ? 0 : PAUSE
  }
}

/** @returns whether a scan was completed, so that the next one may start. */
async function readNext(steps: BackgroundSteps, signal: AbortSignal): Promise<boolean> {
  const mayGoOn = async () => !signal.aborted && (await steps.mayRead())
  if (!(await mayGoOn())) return false
  const scan = await steps.open(signal)
  if (!scan) return false
  let wasStopped = false
  await readScan(scan, async () => {
    wasStopped = !(await mayGoOn())
    return !wasStopped
  })
  return !wasStopped
}
