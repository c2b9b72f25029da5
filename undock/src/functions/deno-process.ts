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
  readonly log: Log
  /** The process ended unexpectedly or could not be started; all its workers are gone.
   *  @param wasReady Whether it had been ready to serve. */
  readonly onExit: (wasReady: boolean) => void
}

/** One running Deno process and the connection to it. */
export class DenoProcess {
  readonly #binary: string
  readonly #child: ChildProcess
  readonly #settings: readonly string[]
  readonly #env: Readonly<Record<string, string>>
  readonly #listeners = new Map<number, (event: WorkerEvent) => void>()
  readonly #ready: Promise<void>
  /** Running `deno info` processes. */
  readonly #analyses = new Set<ChildProcess>()
  #lastId = 0
  #ending = false
  #ended = false

  constructor({ binary, configFile, importMapFile, env, folder, inspectorPort, log, onExit }: DenoOptions) {
    this.#settings = ['--no-lock', '--config', configFile, '--import-map', importMapFile]
    this.#env = env
    this.#binary = binary
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
    this.#child = spawn(binary, ['run', ...flags, ...this.#settings, MAIN], {
      cwd: folder,
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#ready = new Promise((resolve, reject) => {
      this.#child.once('error', reject)
      this.#child.once('exit', (code) => reject(new Error(`Deno ended with code ${code}`)))
      this.#listen(resolve, log)
    })
    // A caller that starts a worker gets the error; a failed start in advance must not end the stack.
    let wasReady = false
    this.#ready.then(
      () => {
        wasReady = true
      },
      (error) => {
        if (!this.#ending) log.error('functions: Deno does not run', error)
      },
    )
    const gone = () => {
      if (this.#ended) return
      this.#ended = true
      const orphans = [...this.#listeners]
      this.#listeners.clear()
      for (const [id, listener] of orphans) {
        listener(this.#ending ? { type: 'stopped', id } : { type: 'crashed', id, error: 'Deno ended' })
      }
      if (!this.#ending) onExit(wasReady)
    }
    this.#child.once('exit', gone)
    // A program that could not be started never exits.
    this.#child.once('error', () => {
      if (this.#child.pid === undefined) gone()
    })
    // Writing to a process that is gone is reported by its exit.
    this.#child.stdin?.on('error', () => undefined)
  }

  /** Whether it can start workers. */
  get isUsable(): boolean {
    return !this.#ended && !this.#ending
  }

  get ready(): Promise<void> {
    return this.#ready
  }

  /** Registers a listener for the events of one worker. @returns the worker's id, which commands name */
  adopt(listener: (event: WorkerEvent) => void): number {
    const id = ++this.#lastId
    this.#listeners.set(id, listener)
    return id
  }

  order(order: Command): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`)
  }

  forget(id: number): void {
    this.#listeners.delete(id)
  }

  /** The modules that a function consists of; computing them also downloads missing ones. */
  async modules(entrypoint: string): Promise<ModuleGraph> {
    // Without the flag Deno refuses all hosts but a few, which workers do not.
    const args = ['info', '--json', '--allow-import', ...this.#settings, entrypoint]
    if (!this.isUsable) throw new Error('Deno has ended')
    const stdout = await new Promise<string>((resolve, reject) => {
      const options = { env: { ...this.#env }, maxBuffer: 64 * 1024 * 1024 }
      const analysis = execFile(this.#binary, args, options, (error, out) => {
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
    const { pid, exitCode, signalCode } = this.#child
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    const exited = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await exited
  }

  #listen(ready: () => void, log: Log): void {
    const { stdout, stderr } = this.#child
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
