import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Log } from '../kernel/service.ts'
import { MARK, type Order, Told, type WorkerEvent } from './messages.ts'

const MAIN = fileURLToPath(new URL('./deno/main.js', import.meta.url))

export type DenoOptions = {
  /** What the functions that run here share: a deno.json without imports, and the import map. As two files, because Deno
   *  lets a function's own deno.json overrule the imports of a deno.json, but not an import map. */
  readonly configFile: string
  readonly importMapFile: string
  readonly env: Readonly<Record<string, string>>
  /** Where relative paths begin. */
  readonly folder: string
  /** Where debuggers attach; null for nowhere. */
  readonly inspectorPort: number | null
  readonly log: Log
  /** The process ended without being asked to; all its workers are gone. */
  readonly onExit: () => void
}

/** The file of Deno's own binary: its npm package has it ready, or puts it together on first use. */
export function denoBinary(): string {
  const installer: unknown = createRequire(import.meta.url)('deno/install_api.cjs')
  return z
    .object({ runInstall: z.function({ output: z.string() }) })
    .parse(installer)
    .runInstall()
}

/** One running Deno and the line to it. */
export class DenoProcess {
  readonly #child: ChildProcess
  readonly #settings: readonly string[]
  readonly #env: Readonly<Record<string, string>>
  readonly #listeners = new Map<number, (event: WorkerEvent) => void>()
  readonly #ready: Promise<void>
  #lastId = 0
  #ending = false

  constructor({ configFile, importMapFile, env, folder, inspectorPort, log, onExit }: DenoOptions) {
    this.#settings = ['--no-lock', '--config', configFile, '--import-map', importMapFile]
    this.#env = env
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
    this.#child = spawn(denoBinary(), ['run', ...flags, ...this.#settings, MAIN], {
      cwd: folder,
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#ready = new Promise((resolve, reject) => {
      this.#child.once('error', reject)
      this.#child.once('exit', (code) => reject(new Error(`Deno ended with code ${code}`)))
      this.#listen(resolve, log)
    })
    // Whoever starts a worker hears of it; a start ahead of need must not end the stack.
    this.#ready.catch((error) => {
      if (!this.#ending) log.error('functions: Deno does not run', error)
    })
    this.#child.once('exit', () => {
      const gone = [...this.#listeners]
      this.#listeners.clear()
      for (const [id, listener] of gone) {
        listener(this.#ending ? { type: 'stopped', id } : { type: 'crashed', id, error: 'Deno ended' })
      }
      if (!this.#ending) onExit()
    })
    // Writing to a process that is gone is told by its exit.
    this.#child.stdin?.on('error', () => undefined)
  }

  get ready(): Promise<void> {
    return this.#ready
  }

  /** Registers for the events of one worker and answers its id, to give orders with. */
  adopt(listener: (event: WorkerEvent) => void): number {
    const id = ++this.#lastId
    this.#listeners.set(id, listener)
    return id
  }

  order(order: Order): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`)
  }

  forget(id: number): void {
    this.#listeners.delete(id)
  }

  /** The local files that a function is made of, by Deno's own module graph; it also fetches what is missing. */
  async modules(entrypoint: string): Promise<string[]> {
    const args = ['info', '--json', ...this.#settings, entrypoint]
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile(denoBinary(), args, { env: { ...this.#env }, maxBuffer: 64 * 1024 * 1024 }, (error, out) =>
        error ? reject(error) : resolve(out),
      )
    })
    const { modules } = Graph.parse(JSON.parse(stdout))
    return modules.flatMap(({ specifier, local }) => (specifier?.startsWith('file:') && local ? [local] : []))
  }

  async close(): Promise<void> {
    this.#ending = true
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await exited
  }

  #listen(ready: () => void, log: Log): void {
    const { stdout, stderr } = this.#child
    if (!stdout || !stderr) return
    createInterface({ input: stdout }).on('line', (line) => {
      if (!line.startsWith(MARK)) {
        log.info(line)
        return
      }
      const told = Told.parse(JSON.parse(line.slice(MARK.length)))
      if (told.type === 'ready') ready()
      else this.#listeners.get(told.id)?.(told)
    })
    createInterface({ input: stderr }).on('line', (line) => {
      if (line.trim() !== '') log.warn(line)
    })
  }
}

const Graph = z.object({
  modules: z.array(z.object({ specifier: z.string().optional(), local: z.string().nullish() })),
})
