import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Log } from '../kernel/service.ts'
import { type Command, DenoMessage, MESSAGE_PREFIX, type WorkerEvent } from './messages.ts'
import { type ModuleGraph, readModuleGraph } from './module-graph.ts'

const MAIN = fileURLToPath(new URL('./deno/main.js', import.meta.url))

export type DenoOptions = {
  /** The path of Deno's binary. */
  readonly binary: string
  /** Two files that functions of this process share: a deno.json without imports, and the import map. They are separate
   *  because in Deno a function's own deno.json overrides the imports of another deno.json, but not an import map. */
  readonly configFile: string
  readonly importMapFile: string
  readonly env: Readonly<Record<string, string>>
  /** The folder that relative paths refer to. */
  readonly folder: string
  /** The address to which debuggers attach; null for none. */
  readonly inspectorPort: number | null
  /** Milliseconds without a worker after which the program is ended; the next worker starts it again. */
  readonly idle: number
  readonly log: Log
  /** The process ended unexpectedly or could not be started; all its workers are gone.
   *  @param wasReady Whether it had been ready to serve. */
  readonly onExit: (wasReady: boolean) => void
}

/** A Deno program and the connection to it. It sleeps, which is to say that it does not run, while nobody uses it. */
export class DenoProcess {
  readonly #options: DenoOptions
  readonly #settings: readonly string[]
  readonly #listeners = new Map<number, (event: WorkerEvent) => void>()
  /** Running `deno info` processes. */
  readonly #analyses = new Set<ChildProcess>()
  #running: { readonly child: ChildProcess; readonly ready: Promise<void> } | null = null
  #sleep: NodeJS.Timeout | null = null
  #lastId = 0
  #ending = false
  #failed = false

  constructor(options: DenoOptions) {
    this.#options = options
    const { configFile, importMapFile } = options
    // Code that bundlers and Node's tools also read leaves out the endings of files.
    this.#settings = ['--no-lock', '--sloppy-imports', '--config', configFile, '--import-map', importMapFile]
    this.#wake()
    this.#rest()
  }

  #wake(): Promise<void> {
    if (this.#running) return this.#running.ready
    const { binary, env, folder, inspectorPort, log, onExit } = this.#options
    const flags = [
      '--no-lock',
      '--no-check',
      '--quiet',
      '--no-prompt',
      '--allow-all',
      '--unstable-worker-options',
      '--v8-flags=--expose-gc',
    ]
    if (inspectorPort !== null) flags.push(`--inspect=127.0.0.1:${inspectorPort}`)
    const child = spawn(binary, ['run', ...flags, ...this.#settings, MAIN], {
      cwd: folder,
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const ready = new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`Deno ended with code ${code}`)))
      this.#listen(child, resolve)
    })
    const running = { child, ready }
    this.#running = running
    // A caller that starts a worker gets the error; a failed start in advance must not end the stack.
    let wasReady = false
    ready.then(
      () => {
        wasReady = true
      },
      (error) => {
        if (this.#running === running && !this.#ending) log.error('functions: Deno does not run', error)
      },
    )
    const gone = () => {
      // One that sleeps was ended on purpose.
      if (this.#running !== running) return
      this.#running = null
      this.#failed = !this.#ending
      const orphans = [...this.#listeners]
      this.#listeners.clear()
      for (const [id, listener] of orphans) {
        listener(this.#ending ? { type: 'stopped', id } : { type: 'crashed', id, error: 'Deno ended' })
      }
      if (!this.#ending) onExit(wasReady)
    }
    child.once('exit', gone)
    // A program that could not be started never exits.
    child.once('error', () => {
      if (child.pid === undefined) gone()
    })
    // Writing to a process that is gone is reported by its exit.
    child.stdin?.on('error', () => undefined)
    return ready
  }

  /** Ends the program after a while without workers. */
  #rest(): void {
    if (this.#sleep) clearTimeout(this.#sleep)
    this.#sleep = setTimeout(() => {
      if (this.#listeners.size > 0 || !this.isUsable) return
      const running = this.#running
      this.#running = null
      running?.child.kill('SIGKILL')
    }, this.#options.idle).unref()
  }

  /** Whether it can start workers. */
  get isUsable(): boolean {
    return !this.#failed && !this.#ending
  }

  /** Resolves when the program runs, which is started when it sleeps. */
  get ready(): Promise<void> {
    return this.isUsable ? this.#wake() : Promise.reject(new Error('Deno has ended'))
  }

  /** Registers a listener for the events of one worker. @returns the worker's id, which commands name */
  adopt(listener: (event: WorkerEvent) => void): number {
    const id = ++this.#lastId
    this.#listeners.set(id, listener)
    return id
  }

  order(order: Command): void {
    this.#running?.child.stdin?.write(`${JSON.stringify(order)}\n`)
  }

  forget(id: number): void {
    this.#listeners.delete(id)
    if (this.#listeners.size === 0) this.#rest()
  }

  /** The modules that a function consists of; computing them also downloads missing ones. */
  async modules(entrypoint: string): Promise<ModuleGraph> {
    // Without the flag Deno refuses all hosts but a few, which workers do not.
    const args = ['info', '--json', '--allow-import', ...this.#settings, entrypoint]
    if (!this.isUsable) throw new Error('Deno has ended')
    const stdout = await new Promise<string>((resolve, reject) => {
      const options = { env: { ...this.#options.env }, maxBuffer: 64 * 1024 * 1024 }
      const analysis = execFile(this.#options.binary, args, options, (error, out) => {
        this.#analyses.delete(analysis)
        if (error) reject(error)
        else resolve(out)
      })
      this.#analyses.add(analysis)
    })
    return readModuleGraph(stdout)
  }

  async close(): Promise<void> {
    this.#ending = true
    // A stalled download would keep these processes, and therefore this one, alive.
    for (const analysis of this.#analyses) analysis.kill('SIGKILL')
    if (this.#sleep) clearTimeout(this.#sleep)
    const child = this.#running?.child
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await exited
  }

  #listen({ stdout, stderr }: ChildProcess, ready: () => void): void {
    const { log } = this.#options
    if (!stdout || !stderr) return
    createInterface({ input: stdout }).on('line', (line) => {
      if (!line.startsWith(MESSAGE_PREFIX)) {
        log.info(line)
        return
      }
      const message = DenoMessage.parse(JSON.parse(line.slice(MESSAGE_PREFIX.length)))
      if (message.type === 'ready') ready()
      else this.#listeners.get(message.id)?.(message)
    })
    createInterface({ input: stderr }).on('line', (line) => {
      if (line.trim() !== '') log.warn(line)
    })
  }
}
