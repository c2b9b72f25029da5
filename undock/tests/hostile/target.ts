// A stack in a separate process that reports blocked event loop times, logged errors and memory.
import { startWholeStack } from '../../src/test-kit/whole-stack.ts'

export type TargetAddress = {
  readonly kind: 'ready'
  readonly url: string
  readonly mailUrl: string
  readonly dbUrl: string
  readonly publishable: string
  readonly secret: string
}

export type TargetReport = {
  readonly kind: 'report'
  /** Milliseconds of each time the event loop was blocked while its thread was working for as long. */
  readonly stalls: readonly number[]
  readonly errors: readonly string[]
  /** Heap size in bytes after a garbage collection. */
  readonly heap: number
  readonly rss: number
  /** Size of the embedded database in bytes; null for another engine. */
  readonly engine: number | null
  /** The kinds of resources that keep the event loop alive. */
  readonly resources: Readonly<Record<string, number>>
}

/** Milliseconds between two checks of the clock, and their permitted delay. */
const TICK = 20
const STALL = 200
const MAX_ERRORS = 50

const [workdir = '', state] = process.argv.slice(2)
const stalls: number[] = []
const errors: string[] = []
const note = (text: string) => void (errors.length < MAX_ERRORS && errors.push(text))
process.on('uncaughtExceptionMonitor', (error) => note(`uncaught: ${error.stack}`))

const stack = await startWholeStack({
  workdir,
  state: state === 'disk' ? 'disk' : 'memory',
  show: (line) => line.level === 'error' && note(JSON.stringify(line)),
})

let last = performance.now()
let worked = process.threadCpuUsage()
setInterval(() => {
  const now = performance.now()
  const used = process.threadCpuUsage(worked)
  // A machine busy with something else is not a fault of the stack.
  const atWork = (used.user + used.system) / 1_000
  if (now - last - TICK > STALL && atWork > STALL) stalls.push(Math.round(atWork))
  last = now
  worked = process.threadCpuUsage()
}, TICK).unref()

process.on('message', async (message) => {
  if (message === 'report') {
    await globalThis.gc?.({ execution: 'async', type: 'major' })
    const { heapUsed, rss } = process.memoryUsage()
    const { database } = await stack.memory()
    const resources = Object.fromEntries(
      Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind)).map(([kind, all = []]) => [
        kind,
        all.length,
      ]),
    )
    process.send?.({
      kind: 'report',
      stalls: stalls.splice(0),
      errors: errors.splice(0),
      heap: heapUsed,
      engine: database,
      rss,
      resources,
    })
    // The stack doesn't cause the garbage collection itself.
    last = performance.now()
    worked = process.threadCpuUsage()
  }
  if (message === 'reset') {
    await stack.reset()
    process.send?.({ kind: 'reset' })
  }
  if (message === 'stop') {
    await stack.stop()
    process.disconnect()
  }
})
process.on('disconnect', () => process.exit())

process.send?.({
  kind: 'ready',
  url: stack.url,
  mailUrl: stack.mailUrl ?? '',
  dbUrl: stack.dbUrl,
  publishable: stack.keys.publishable,
  secret: stack.keys.secret,
} satisfies TargetAddress)
