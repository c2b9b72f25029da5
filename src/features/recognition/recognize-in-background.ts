import * as z from 'zod/mini'
import { idle, savesData } from '../../lib/device.ts'
import { readInBackground } from './background.ts'
import { openNextScan } from './leased-scan.ts'
import { inOneTab, isTurnWanted } from './turns.ts'

/** Recognizes waiting scans that the person may edit while the app is open. @returns a function that stops it. */
export function recognizeInBackground(): () => void {
  const stop = new AbortController()
  const { signal } = stop
  const action = () => readInBackground({ mayRead, open: openNextScan, pause }, signal)
  // Rejects only when it's stopped.
  inOneTab(signal, action).catch(() => {})
  return () => stop.abort()
}

async function mayRead(): Promise<boolean> {
  if (!navigator.onLine || savesData() || (await isBatteryLow()) || (await isTurnWanted())) return false
  await idle()
  return true
}

/** The battery level at which systems start saving power. */
const LOW = 0.2
const Battery = z.object({ charging: z.boolean(), level: z.number() })

/** Unknown in Firefox and Safari, which count as charged. */
async function isBatteryLow(): Promise<boolean> {
  if (!('getBattery' in navigator) || typeof navigator.getBattery !== 'function') return false
  const { data } = Battery.safeParse(await navigator.getBattery())
  return data !== undefined && !data.charging && data.level <= LOW
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
