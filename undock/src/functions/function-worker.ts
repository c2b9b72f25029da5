import { rm } from 'node:fs/promises'
import { MAX_TIMER_MS } from '../kernel/promises.ts'
import type { Log } from '../kernel/service.ts'
import { processUsage } from '../platform/process.ts'
import { type DenoCommand, DenoProcess } from './deno-process.ts'
import type { FunctionLineLevel, FunctionRecord } from './function-record.ts'
import type { DenoMessage, Embedded, FunctionCall } from './messages.ts'
import { RelayError, type RelayErrorCode } from './relay-error.ts'

export type Limits = {
  /** Milliseconds allowed for importing a function, including downloads. */
  readonly boot: number
  /** Milliseconds of processor time allowed for booting. */
  readonly bootProcessorTime: number
  /** Milliseconds within which the response must begin, as on hosted projects. */
  readonly response: number
  /** Milliseconds that a worker with open requests may miss pings before it counts as looping. */
  readonly unresponsive: number
  /** Milliseconds a replaced worker has for open requests and `waitUntil`. */
  readonly grace: number
  /** Milliseconds after which a worker is replaced (upstream's wall clock limit). */
  readonly lifetime: number
  /** Milliseconds without a request after which a worker ends. */
  readonly idle: number
  /** Bytes a worker may hold on its heap and in buffers. */
  readonly memory: number
}

export const DEFAULT_LIMITS: Limits = {
  boot: 120_000,
  bootProcessorTime: 30_000,
  response: 150_000,
  unresponsive: 10_000,
  grace: 10_000,
  lifetime: 400_000,
  idle: 60_000,
  memory: 256 * 1024 * 1024,
}

/** Disables time limits while a debugger is attached. */
export const INSPECTOR_LIMITS: Partial<Limits> = {
  boot: MAX_TIMER_MS,
  bootProcessorTime: MAX_TIMER_MS,
  response: MAX_TIMER_MS,
  unresponsive: MAX_TIMER_MS,
  lifetime: MAX_TIMER_MS,
  idle: MAX_TIMER_MS,
}

/** Milliseconds of processor time after which hosted functions are ended. */
const HOSTED_PROCESSOR_TIME = 2_000

const SERVES_NOTHING = 'did not call Deno.serve(), nor does it export a default with fetch()'

/** Pings a worker may miss. */
const PINGS = 5

/** Milliseconds between checks of a process's memory. */
const LOOK = 200
/** Bytes a worker's process needs for itself. */
const OWN_MEMORY = 64 * 2 ** 20
/** Bytes of growth after which live bytes are counted again. */
const GROWTH = 64 * 2 ** 20
/** Factor by which a process may exceed the limit, since V8 collects late when memory is plentiful. */
const GARBAGE = 3
/** Milliseconds, both of processor time and of wall time, for a worker above its limit to show that it holds garbage. */
const COUNTING = 1_500
const MAX_COUNTING = 4 * COUNTING

export type WorkerOptions = {
  readonly name: string
  readonly command: DenoCommand
  readonly temporary: string
  readonly limits: Limits
  readonly log: Log
  readonly record: FunctionRecord
  readonly onCall: (call: FunctionCall) => void
  readonly embed: (question: Readonly<Record<string, unknown>>) => Promise<Embedded>
  readonly onGone: (worker: FunctionWorker) => void
}

/** One Deno process of a function, with its open requests. */
export class FunctionWorker {
  /** The port it listens on. @throws {RelayError} BOOT_ERROR */
  readonly port: Promise<number>
  readonly #options: WorkerOptions
  readonly #process: DenoProcess
  readonly #open = new Set<(error: RelayError) => void>()
  /** Settles `port`. */
  #settle: { resolve: (port: number) => void; reject: (error: RelayError) => void } | null = null
  #idle: (() => void) | null = null
  #watchdog: NodeJS.Timeout | undefined
  /** Pings sent since the last reply. */
  #unanswered = 0
  #ended: RelayError | null = null
  #leaving = false
  readonly #aging: NodeJS.Timeout
  #resting: NodeJS.Timeout | null = null
  /** Processor time, in milliseconds, when the first open request began. */
  #weighedFrom: number | null = null
  #isWarned = false
  /** Bytes the process may use before its live bytes are counted. */
  #allowance: number
  /** When live bytes were requested, and the processor time then; null once answered. */
  #asked: { readonly at: number; readonly processorTime: number } | null = null
  /** stderr before it listened, to explain a failed boot. */
  #said: string[] = []

  /** @throws if the operating system refuses to start the process */
  constructor(options: WorkerOptions) {
    this.#options = options
    const { command, limits } = options
    this.#allowance = OWN_MEMORY + limits.memory
    this.port = new Promise<number>((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.port.catch(() => undefined)
    this.#process = new DenoProcess(command, {
      onMessage: (message) => this.#hear(message),
      onLine: (level, text) => {
        if (level === 'warn' && this.#settle) this.#said.push(text)
        else if (!this.#ended) this.#tell(level, text)
      },
      onExit: (end) => this.#gone(end),
    })
    const late = setTimeout(
      () => this.#end('BOOT_ERROR', `took more than ${limits.boot / 1000} s to boot`),
      limits.boot,
    )
    void this.port.finally(() => clearTimeout(late)).catch(() => undefined)
    this.#aging = setTimeout(() => {
      if (this.#leaving) this.#end('WORKER_LIMIT', null)
      else void this.retire('wall_clock')
    }, limits.lifetime).unref()
    void this.#weighEver()
  }

  get isUsable(): boolean {
    return this.#ended === null && !this.#leaving
  }

  get state(): 'booting' | 'ready' | 'ended' {
    if (!this.isUsable) return 'ended'
    return this.#settle ? 'booting' : 'ready'
  }

  /** Counts a request as open until the returned function is called.
   *  @param fail Called if the worker ends first. */
  track(fail: (error: RelayError) => void): () => void {
    if (this.#ended) throw this.#ended
    if (this.#open.size === 0) this.#weighedFrom = null
    this.#open.add(fail)
    if (this.#resting) clearTimeout(this.#resting)
    return () => {
      this.#open.delete(fail)
      if (this.#open.size > 0) return
      this.#idle?.()
      this.#rest()
    }
  }

  /** Ends an idle worker once its background tasks are done. */
  #rest(): void {
    if (this.#resting) clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      if (!this.isUsable) return
      this.#leaving = true
      this.#process.order({ type: 'unload', reason: 'early_drop' })
    }, this.#options.limits.idle).unref()
  }

  /** Waits for open requests and background tasks, then ends the worker. New requests go to its successor.
   *  @param reason The `beforeunload` reason: `wall_clock` or `termination`.
   *  @param hurry Whether open requests are limited to the grace period too. */
  async retire(reason: string, { hurry = true } = {}): Promise<void> {
    if (!this.isUsable) return
    this.#leaving = true
    const { grace } = this.#options.limits
    const giveUp = () => this.#end(reason === 'wall_clock' ? 'WORKER_LIMIT' : 'WORKER_ERROR', null)
    let late = hurry ? setTimeout(giveUp, grace).unref() : undefined
    if (this.#open.size > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve
      })
    clearTimeout(late)
    if (this.#ended) return
    this.#process.order({ type: 'unload', reason })
    late = setTimeout(giveUp, grace).unref()
  }

  kill(): Promise<void> {
    this.#end('WORKER_ERROR', null)
    return this.#process.kill()
  }

  #hear(message: DenoMessage): void {
    if (this.#ended) return
    switch (message.type) {
      case 'listening':
        if (!this.#settle) break
        for (const text of this.#said.splice(0)) this.#tell('warn', text)
        this.#settle.resolve(message.port)
        this.#settle = null
        this.#watch()
        if (this.#open.size === 0) this.#rest()
        break
      case 'closed':
        void this.retire('termination')
        break
      case 'crashed':
        this.#end(this.#settle ? 'BOOT_ERROR' : 'WORKER_ERROR', message.error)
        break
      case 'unloaded':
        this.#end('WORKER_ERROR', null)
        break
      case 'pong':
        this.#unanswered = 0
        this.#weigh(message.processorTime)
        break
      case 'weighed':
        this.#asked = null
        if (message.bytes > this.#options.limits.memory) this.#exhaust()
        break
      case 'called':
        this.#options.onCall(message)
        break
      case 'log':
        this.#tell(message.level, message.text)
        break
      case 'embed':
        void this.#options
          .embed(message.question)
          .then((answer) => this.#process.order({ type: 'embedded', number: message.number, ...answer }))
    }
  }

  #gone({ code, ranOutOfMemory }: { readonly code: number | null; readonly ranOutOfMemory: boolean }): void {
    // Without a failure, what it wrote is only warnings.
    const lines = code === 0 || this.#said.length === 0 ? [SERVES_NOTHING, ...this.#said] : this.#said
    if (ranOutOfMemory) this.#exhaust()
    else if (this.#settle)
      this.#end('BOOT_ERROR', lines.join('\n').replace(/^error: (?:Uncaught (?:\(in promise\) )?)?/, ''))
    else this.#end('WORKER_ERROR', 'ended by itself')
    void rm(this.#options.temporary, { recursive: true, force: true })
    this.#options.onGone(this)
  }

  #exhaust(): void {
    const limit = Math.round(this.#options.limits.memory / 2 ** 20)
    this.#end('WORKER_LIMIT', `was ended: it used more than ${limit} MB of memory`)
  }

  /** Monitors the process: its memory, and its processor time while it can't answer pings. */
  async #weighEver(): Promise<void> {
    const { memory, bootProcessorTime } = this.#options.limits
    while (!this.#ended) {
      const { memory: resident, processorTime } = (await processUsage(this.#process.pid)) ?? {
        memory: 0,
        processorTime: 0,
      }
      if (resident > OWN_MEMORY + memory * GARBAGE) this.#exhaust()
      else if (this.#settle && processorTime > bootProcessorTime)
        this.#end('BOOT_ERROR', `used more than ${bootProcessorTime / 1000} s of processor time to boot`)
      else if (this.#asked !== null) {
        const used = processorTime - this.#asked.processorTime
        if (used > COUNTING || performance.now() - this.#asked.at > MAX_COUNTING) this.#exhaust()
      } else if (resident > this.#allowance && !this.#settle) {
        this.#allowance = resident + GROWTH
        this.#asked = { at: performance.now(), processorTime }
        this.#process.order({ type: 'weigh', limit: memory })
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK).unref())
    }
  }

  #end(code: RelayErrorCode, reason: string | null): void {
    if (this.#ended) return
    const error = new RelayError(code, { cause: reason })
    this.#ended = error
    clearTimeout(this.#aging)
    if (this.#resting) clearTimeout(this.#resting)
    clearInterval(this.#watchdog)
    if (reason !== null) this.#tell('error', reason)
    this.#settle?.reject(code === 'WORKER_ERROR' ? new RelayError('BOOT_ERROR') : error)
    for (const fail of this.#open) fail(error)
    this.#open.clear()
    this.#idle?.()
    void this.#process.kill()
  }

  /** A tight loop answers no pings; hosted functions are ended for it as well. Counting pings rather than time keeps a
   *  slow machine from looking like a loop. */
  #watch(): void {
    const { unresponsive } = this.#options.limits
    this.#watchdog = setInterval(() => {
      if (this.#unanswered >= PINGS) {
        this.#end('WORKER_LIMIT', `was ended: it did not yield for ${unresponsive / 1000} s`)
        return
      }
      this.#unanswered++
      this.#process.order({ type: 'ping' })
    }, unresponsive / PINGS).unref()
  }

  /** Logs that the function exceeded hosted functions' processor time. Here it continues.
   *  @param total Milliseconds of processor time since the worker began. */
  #weigh(total: number): void {
    this.#weighedFrom ??= total
    const spent = total - this.#weighedFrom
    if (this.#isWarned || spent < HOSTED_PROCESSOR_TIME) return
    this.#isWarned = true
    this.#tell(
      'warn',
      `used ${(spent / 1000).toFixed(1)} s of processor time at a stretch: a hosted function has 2 s for a request`,
    )
  }

  #tell(level: FunctionLineLevel, text: string): void {
    const { name, log, record } = this.#options
    record.add(level, text)
    const fields = { function: name, level }
    if (level === 'warn' || level === 'error') log.warn(text, fields)
    else log.info(text, fields)
  }
}
