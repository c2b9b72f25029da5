import type { Page } from '@playwright/test'

/** @property frames Milliseconds between two frames. @property longTasks Milliseconds of each task longer than 50 ms meanwhile. */
export type Scrolled = { readonly frames: number[]; readonly longTasks: number[] }

/** Milliseconds of a frame at 60 frames a second, plus the inaccuracy of timers. */
const FRAME = 17.5

const SCROLLED_FRAMES = 600
/** CSS pixels per frame: a fast flick. */
const STEP = 40

/** Scrolls the page, or an element in it, for ten seconds.
 *  @param selector Of the element that scrolls. */
export function scroll(page: Page, selector: string | null = null): Promise<Scrolled> {
  return page.evaluate(
    async ([count, step, wanted]) => {
      const element = wanted === null ? window : document.querySelector(wanted)
      if (!element) throw new Error(`There is no ${wanted}`)
      const longTasks: number[] = []
      const observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longTasks.push(duration)
      })
      observer.observe({ type: 'longtask' })
      const frames: number[] = []
      let before = await new Promise(requestAnimationFrame)
      while (frames.length < count) {
        element.scrollBy(0, step)
        const now = await new Promise(requestAnimationFrame)
        frames.push(now - before)
        before = now
      }
      observer.disconnect()
      return { frames, longTasks }
    },
    [SCROLLED_FRAMES, STEP, selector] as const,
  )
}

/** The share of frames in time, as a sentence of a table. */
export function describeFrames(frames: readonly number[]): string {
  const inTime = frames.filter((frame) => frame <= FRAME).length / frames.length
  return `${(inTime * 100).toFixed(1)} % of ${frames.length}, longest ${Math.round(Math.max(...frames))} ms`
}

/** Begins to note how long inputs take until the frame that shows their effect. @returns a function that reads the milliseconds of
 *  each so far. */
export async function watchInputs(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const durations: Record<number, number> = {}
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEventTiming & { interactionId: number })[]) {
        if (entry.interactionId === 0) continue
        durations[entry.interactionId] = Math.max(durations[entry.interactionId] ?? 0, entry.duration)
      }
      // 16 ms is the smallest value that may be requested.
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
    Object.assign(window, { durations })
  })
  return async () => {
    // Events are reported with the frame after them.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))))
    return page.evaluate(() => Object.values((window as unknown as { durations: Record<number, number> }).durations))
  }
}
