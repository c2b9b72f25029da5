import { pathToFileURL } from 'node:url'
import type { Log } from '../kernel/service.ts'
import type { FunctionSpec } from './catalogue.ts'
import type { DenoProcess } from './deno-process.ts'
import type { FunctionLineLevel, FunctionRecord } from './function-record.ts'
import type { FunctionCall, WorkerEvent } from './messages.ts'
import { RelayError, type RelayErrorCode } from './relay-error.ts'

/** The longest delay that a timer accepts, 24 days, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1

export type Limits = {
  /** Milliseconds that importing a function may take, downloads included. */
  readonly boot: number
  /** Milliseconds within which the response must begin, as on hosted projects. */
  readonly response: number
  /** Milliseconds that a worker with open requests may leave pings unanswered before it counts as being in a loop. */
  readonly unresponsive: number
  /** Milliseconds that a worker being replaced has for its open requests and its `waitUntil`. */
  readonly grace: number
  /** Milliseconds after which any worker is replaced by a new one (upstream's wall clock limit). */
  readonly lifetime: number
  /** Milliseconds without a request after which a worker ends, and Deno without workers. */
  readonly idle: number
  /** Bytes that a worker may hold on its heap and in its buffers. */
  readonly memory: number
}

export const DEFAULT_LIMITS: Limits = {
  boot: 120_000,
  response: 150_000,
  unresponsive: 10_000,
  grace: 10_000,
  lifetime: 400_000,
  idle: 60_000,
  memory: 256 * 1024 * 1024,
}

/** With a debugger attached, time limits do not apply. */
export const INSPECTOR_LIMITS: Partial<Limits> = {
  boot: LONGEST_TIMER,
  response: LONGEST_TIMER,
  unresponsive: LONGEST_TIMER,
  lifetime: LONGEST_TIMER,
  idle: LONGEST_TIMER,
}

/** Milliseconds of processor time after which a hosted function is ended. */
const HOSTED_PROCESSOR_TIME = 2_000

/** How many pings an unresponsive worker may leave unanswered. */
const PINGS = 5

export type WorkerOptions = {
  readonly spec: FunctionSpec
  /** Its own, besides those of all functions. */
  readonly variables: Readonly<Record<string, string>>
  readonly process: DenoProcess
  readonly hidden: readonly string[]
  readonly limits: Limits
  readonly log: Log
  readonly record: FunctionRecord
  readonly onCall: (call: FunctionCall) => void
}

/** One Deno worker of a function, for its whole life, and its open requests. */
export class FunctionWorker {
  readonly spec: FunctionSpec
  /** The address where it listens. @throws {RelayError} BOOT_ERROR */
  readonly port: Promise<number>
  readonly #id: number
  readonly #process: DenoProcess
  readonly #limits: Limits
  readonly #log: Log
  readonly #record: FunctionRecord
  readonly #onCall: (call: FunctionCall) => void
  readonly #open = new Set<(error: RelayError) => void>()
  /** Settles when the worker listens. */
  #settle: { resolve: (port: number) => void; reject: (error: RelayError) => void } | null = null
  #idle: (() => void) | null = null
  #watchdog: NodeJS.Timeout | null = null
  /** Pings sent since the last answer. */
  #unanswered = 0
  #ended: RelayError | null = null
  #leaving = false
  readonly #aging: NodeJS.Timeout
  #resting: NodeJS.Timeout | null = null
  /** Milliseconds of processor time that it had used when the first of its open requests began. */
  #weighedFrom: number | null = null
  #isWarned = false

  constructor({ spec, variables, process, hidden, limits, log, record, onCall }: WorkerOptions) {
    this.spec = spec
    this.#process = process
    this.#limits = limits
    this.#log = log
    this.#record = record
    this.#onCall = onCall
    this.#id = process.adopt((event) => this.#hear(event))
    const listening = new Promise<number>((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.port = listening
    listening.catch(() => undefined)
    const late = setTimeout(
      () => this.#end('BOOT_ERROR', `took more than ${limits.boot / 1000} s to boot`),
      limits.boot,
    )
    void listening.finally(() => clearTimeout(late)).catch(() => undefined)
    this.#aging = setTimeout(() => {
      if (this.#leaving) this.#end('WORKER_LIMIT', null)
      else void this.retire('wall_clock')
    }, limits.lifetime).unref()
    process.ready.then(
      () => {
        if (!process.isUsable) return this.#end('BOOT_ERROR', 'Deno has ended')
        return process.order({
          type: 'start',
          id: this.#id,
          name: spec.name,
          entrypoint: pathToFileURL(spec.entrypoint).href,
          variables: { ...variables, SB_EXECUTION_ID: crypto.randomUUID() },
          hidden,
          memory: limits.memory,
        })
      },
      () => this.#end('BOOT_ERROR', 'Deno does not run'),
    )
  }

  /** Whether it accepts new requests. */
  get isUsable(): boolean {
    return this.#ended === null && !this.#leaving
  }

  /** Whether it boots, takes requests, or no longer does. */
  get state(): 'booting' | 'ready' | 'ended' {
    if (!this.isUsable) return 'ended'
    return this.#settle ? 'booting' : 'ready'
  }

  /** Counts a request as open until the returned function is called.
   *  @param fail Called when the worker ends before that. */
  track(fail: (error: RelayError) => void): () => void {
    if (this.#ended) throw this.#ended
    this.#open.add(fail)
    if (this.#resting) clearTimeout(this.#resting)
    // While the worker boots, only the limit on booting applies.
    if (!this.#settle) this.#watch()
    return () => {
      this.#open.delete(fail)
      if (this.#open.size > 0) return
      this.#unwatch()
      this.#idle?.()
      this.#rest()
    }
  }

  /** Ends the worker after a while without requests, when its background tasks are done. */
  #rest(): void {
    if (this.#resting) clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      if (!this.isUsable) return
      this.#leaving = true
      this.#process.order({ type: 'unload', id: this.#id, reason: 'early_drop' })
    }, this.#limits.idle).unref()
  }

  /** Waits for open requests and background tasks, then ends the worker. New requests go to its successor.
   *  @param reason As the author's `beforeunload` reads it: `wall_clock`, `termination`.
   *  @param hurry Whether open requests, too, get only the grace period. */
  async retire(reason: string, { hurry = true } = {}): Promise<void> {
    if (!this.isUsable) return
    this.#leaving = true
    const { grace } = this.#limits
    const giveUp = () => this.#end(reason === 'wall_clock' ? 'WORKER_LIMIT' : 'WORKER_ERROR', null)
    let late = hurry ? setTimeout(giveUp, grace).unref() : undefined
    if (this.#open.size > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve
      })
    clearTimeout(late)
    if (this.#ended) return
    this.#process.order({ type: 'unload', id: this.#id, reason })
    late = setTimeout(giveUp, grace).unref()
  }

  #hear(event: WorkerEvent): void {
    switch (event.type) {
      case 'listening':
        this.#settle?.resolve(event.port)
        this.#settle = null
        if (this.#open.size > 0) this.#watch()
        else this.#rest()
        break
      case 'failed':
        this.#end('BOOT_ERROR', event.error)
        break
      case 'crashed':
        this.#end(this.#settle ? 'BOOT_ERROR' : 'WORKER_ERROR', event.error)
        break
      case 'stopped':
        this.#end('WORKER_ERROR', null)
        break
      case 'pong':
        this.#unanswered = 0
        this.#weigh(event.processorTime)
        break
      case 'exhausted':
        this.#end(
          'WORKER_LIMIT',
          `was ended: it used more than ${Math.round(this.#limits.memory / 2 ** 20)} MB of memory`,
        )
        break
      case 'called':
        this.#onCall(event)
        break
      case 'log':
        this.#tell(event.level, event.text)
        break
    }
  }

  #end(code: RelayErrorCode, reason: string | null): void {
    if (this.#ended) return
    const error = new RelayError(code, { cause: reason })
    this.#ended = error
    clearTimeout(this.#aging)
    if (this.#resting) clearTimeout(this.#resting)
    this.#unwatch()
    if (reason !== null) this.#tell('error', reason)
    this.#settle?.reject(code === 'WORKER_ERROR' ? new RelayError('BOOT_ERROR') : error)
    for (const fail of this.#open) fail(error)
    this.#open.clear()
    this.#idle?.()
    this.#process.order({ type: 'kill', id: this.#id })
    this.#process.forget(this.#id)
  }

  /** A loop that never yields answers no ping; hosted functions, too, are ended for this after seconds. Pings are
   *  counted, not time: when the whole machine is slow, the worker must not be mistaken for a loop. */
  #watch(): void {
    if (this.#watchdog) return
    this.#unanswered = 0
    this.#weighedFrom = null
    this.#watchdog = setInterval(() => {
      if (this.#unanswered >= PINGS) {
        this.#end('WORKER_LIMIT', `was ended: it did not yield for ${this.#limits.unresponsive / 1000} s`)
        return
      }
      this.#unanswered++
      this.#process.order({ type: 'ping', id: this.#id })
    }, this.#limits.unresponsive / PINGS)
  }

  /** Logs that the function exceeded the processor time of hosted functions. Here it continues; hosted it would not.
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

  #unwatch(): void {
    if (this.#watchdog) clearInterval(this.#watchdog)
    this.#watchdog = null
  }

  #tell(level: FunctionLineLevel, text: string): void {
    this.#record.add(level, text)
    const fields = { function: this.spec.name, level }
    if (level === 'warn' || level === 'error') this.#log.warn(text, fields)
    else this.#log.info(text, fields)
  }
}
