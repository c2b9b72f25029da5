import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Milliseconds between checks. */
const INTERVAL = 20_000
/** The share of a core below which the process is idle. */
const IDLE = 0.02
/** Bytes of new memory that make a collection worthwhile. */
const WORTH = 4 * 1024 * 1024

/** Collects garbage while the process is idle. V8 collects on allocation, so an idle backend would keep the garbage of its start or the
 *  last burst of requests.
 *
 *  Gain: 16 of 109 MB three minutes after a start (`docs/performance.md`). */
export function collectWhenIdle(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let used = process.cpuUsage()
  let kept = 0
  setInterval(() => {
    const since = process.cpuUsage(used)
    used = process.cpuUsage()
    const isIdle = (since.user + since.system) / 1_000 < IDLE * INTERVAL
    const { heapUsed, external } = process.memoryUsage()
    if (!isIdle || heapUsed + external < kept + WORTH) return
    collect()
    const after = process.memoryUsage()
    kept = after.heapUsed + after.external
  }, INTERVAL).unref()
}

/** Bytes of V8's young generation above which it doesn't grow. */
const MAX_YOUNG_GENERATION = 32 * 1024 * 1024

/** Keeps V8's young generation small: under load it would grow to 134 MB without answering more requests. Otherwise the size is an argument
 *  of `node`, which a command can't set for itself.
 *
 *  Gain: about 90 of 330 MB at 64 connections (`docs/performance.md`). */
export function limitYoungGeneration(): void {
  new PerformanceObserver(() => {
    const size = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
    setFlagsFromString(`--semi-space-growth-factor=${size < MAX_YOUNG_GENERATION ? 2 : 1}`)
  }).observe({ entryTypes: ['gc'] })
}
