import { type OpenScan, readScan } from './open-scan.ts'

export type BackgroundSteps = {
  /** Whether reading is no burden now: neither to the device nor to whoever waits for a scan of their own. */
  mayRead(): Promise<boolean>
  /** @returns null when nothing waits. */
  open(signal: AbortSignal): Promise<OpenScan | null>
  /** Resolves after so many milliseconds, or when it is stopped. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** Milliseconds until a page that has just been loaded begins, and between two looks when there was nothing to do. */
const FIRST_PAUSE = 5_000
const PAUSE = 30_000

/** Recognizes the text of scans that wait, one after the other, until it is stopped. What fails is the database's to count. */
export async function readInBackground(steps: BackgroundSteps, signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_PAUSE; !signal.aborted; ) {
    await steps.pause(pause, signal)
    const isDone = await readNext(steps, signal).catch(() => false)
    pause = isDone ? 0 : PAUSE
  }
}

/** @returns whether a scan has been read to its end, so that the next one may begin. */
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
