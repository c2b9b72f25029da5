import { glob, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Config } from '../config/config.ts'
import type { Log } from '../kernel/service.ts'
import { FetchError } from '../platform/fetched-package.ts'
import { makeTemporaryFolder } from '../platform/temporary-folder.ts'
import { type FunctionSpec, findFunctions, mayExist } from './catalogue.ts'
import { provideDeno } from './deno-binary.ts'
import { DenoProcess } from './deno-process.ts'
import {
  type Environment,
  type EnvironmentOptions,
  envFiles,
  ownEnvFile,
  ownVariables,
  readEnvironment,
} from './environment.ts'
import { FileWatch } from './file-watch.ts'
import { type FunctionError, type FunctionLine, FunctionRecord } from './function-record.ts'
import { FunctionWorker, type Limits } from './function-worker.ts'
import { type DenoConfig, planImports } from './import-plan.ts'
import type { FunctionCall } from './messages.ts'
import { RelayError } from './relay-error.ts'
import type { WorkerCounts } from './request-metrics.ts'

type Running = {
  readonly process: DenoProcess
  readonly hidden: readonly string[]
}

type Entry = {
  spec: FunctionSpec
  /** Null when the settings of its process are invalid; the log says why. */
  running: Running | null
  worker: FunctionWorker | null
  readonly record: FunctionRecord
  /** The local files of its module graph, once they are known. */
  files: readonly string[]
  /** Why it cannot boot; null when nothing is known against it. */
  fault: string | null
  /** Settles when its modules are there and known. */
  traced: Promise<void>
}

export type RuntimeOptions = Omit<EnvironmentOptions, 'secrets'> & {
  readonly config: Config
  readonly limits: Limits
  readonly log: Log
  readonly onCall?: ((call: FunctionCall) => void) | undefined
  /** Called before Deno is fetched. */
  onFetchingDeno(): void
  /** Null for none. */
  readonly inspectorPort: number | null
}

export type FunctionCheck = { readonly name: string; readonly fault: string | null }

/** A function as it is now. */
export type FunctionState = FunctionCheck & {
  /** Absolute. */
  readonly entrypoint: string
  readonly verifyJwt: boolean
  /** `none` before the first request, and `ended` after its worker ended, until the next one. */
  readonly worker: 'none' | 'booting' | 'ready' | 'ended'
  readonly lastError: FunctionError | null
}

/** What `supabase functions serve` may set while it runs. */
export type ServeSettings = {
  /** Variables instead of those of the project's files. */
  readonly variables?: Readonly<Record<string, string>>
  /** Whether callers need no token. */
  readonly noVerifyJwt?: boolean
}

/** The project's functions and the Deno processes they run in, updated when their files change. */
export class Runtime {
  readonly #options: RuntimeOptions
  readonly #watch: FileWatch
  readonly #entries = new Map<string, Entry>()
  #processes = new Map<string, Running>()
  readonly #leaving = new Set<DenoProcess>()
  #temporary: string | null = null
  /** What each `functions serve` that runs has set; the newest counts. */
  readonly #serving: ServeSettings[] = []
  /** Deno could not be fetched; the next request tries again. */
  #lacksDeno = false
  /** Changes are applied one after another. */
  #turn: Promise<void> = Promise.resolve()
  #closed = false
  /** Workers since the start. */
  #booted = 0

  constructor(options: RuntimeOptions) {
    this.#options = options
    this.#watch = new FileWatch((files) => void this.#inTurn(() => this.#changed(files)))
  }

  /** Reads the functions and starts Deno, so that the first request need not wait for it. */
  start(): Promise<void> {
    return this.#inTurn(() => this.#reconcile())
  }

  /** Serves with other settings from now on.
   *  @returns a function that undoes them; those of another caller that were set before or since then stay. */
  async serveWith(settings: ServeSettings): Promise<() => Promise<void>> {
    const own = { ...settings }
    await this.#inTurn(() => {
      this.#serving.push(own)
      return this.#reconcile()
    })
    return () =>
      this.#inTurn(async () => {
        const at = this.#serving.indexOf(own)
        if (at === -1) return
        this.#serving.splice(at, 1)
        await this.#reconcile()
      })
  }

  /** All functions, each with why it cannot boot, as far as that is known by now. */
  get known(): FunctionState[] {
    return [...this.#entries.values()].map(({ spec: { name, entrypoint, verifyJwt }, fault, worker, record }) => ({
      name,
      fault,
      entrypoint,
      verifyJwt,
      worker: worker?.state ?? 'none',
      lastError: record.lastError,
    }))
  }

  /** The last lines that a function wrote, oldest first; null when there is no such function. */
  linesOf(name: string): readonly FunctionLine[] | null {
    return this.#entries.get(name)?.record.lines ?? null
  }

  /** The same, when all modules are there.
   *  @param tell Called for each as soon as that is known. */
  async check(tell: (check: FunctionCheck) => void = () => undefined): Promise<FunctionCheck[]> {
    await this.#turn
    return Promise.all(
      [...this.#entries.values()].map(async (entry) => {
        await entry.traced
        const check = { name: entry.spec.name, fault: entry.fault }
        tell(check)
        return check
      }),
    )
  }

  /** Finds a function, including one that was added a moment ago. */
  async find(name: string): Promise<FunctionSpec | undefined> {
    await this.#turn
    if (!this.#entries.has(name) && mayExist(this.#options.folder, name)) await this.#inTurn(() => this.#reconcile())
    return this.#entries.get(name)?.spec
  }

  /** The function's worker, which is started if there is none; with the policy `oneshot` always a new one.
   *  @throws {RelayError} BOOT_ERROR */
  async worker(name: string): Promise<FunctionWorker | undefined> {
    await this.#turn
    // A process that could not be started, or ended before it was ready, is started again by the next request.
    const isDown = this.#entries.get(name)?.running?.process.isUsable === false
    if (isDown || this.#lacksDeno) await this.#inTurn(() => this.#reconcile())
    if (this.#closed) throw new RelayError('BOOT_ERROR')
    const entry = this.#entries.get(name)
    if (!entry) return undefined
    return entry.worker?.isUsable && !this.isOneshot ? entry.worker : this.#boot(entry)
  }

  get isOneshot(): boolean {
    return this.#options.config.edge_runtime.policy === 'oneshot'
  }

  get workerCounts(): WorkerCounts {
    const active = [...this.#entries.values()].filter(({ worker }) => worker?.isUsable).length
    return { active, retired: this.#booted - active }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#watch.close()
    await this.#turn
    const running = [...this.#processes.values()].map(({ process }) => process)
    await Promise.all([...running, ...this.#leaving].map((process) => process.close()))
    if (this.#temporary) await rm(this.#temporary, { recursive: true, force: true })
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const { log } = this.#options
    this.#turn = this.#turn
      .then(() => (this.#closed ? undefined : work()))
      .catch((error) => log.error('functions: the project cannot be read', error))
    return this.#turn
  }

  /** Updates functions and processes to match the folder, import maps and environment. A process whose import map or
   *  environment changed is replaced, with all its workers. */
  async #reconcile(): Promise<void> {
    const { config, folder } = this.#options
    const { variables, noVerifyJwt = false } = this.#serving.at(-1) ?? {}
    const found = await findFunctions(folder, config.functions)
    const specs = found.map((spec) => ({ ...spec, verifyJwt: spec.verifyJwt && !noVerifyJwt }))
    const environment = await readEnvironment({
      ...this.#options,
      ...(variables !== undefined && { variables }),
      secrets: config.edge_runtime.secrets,
    })
    const { groups, faults } = await planImports(specs, folder, this.#options.env)
    const deno = groups.length === 0 ? null : await this.#findDeno()
    this.#lacksDeno = groups.length > 0 && deno === null
    const before = this.#processes
    // Replaced processes stay in the list until they end, so that `close` finds every process if something below fails.
    this.#processes = new Map(before)
    const needed = new Set<string>()
    for (const group of groups) {
      if (deno === null) {
        for (const spec of group.functions) this.#place(spec, null, 'Deno could not be fetched')
        continue
      }
      const key = JSON.stringify([group.config, environment])
      const known = before.get(key)
      const inspected = needed.size === 0
      const running = known?.process.isUsable ? known : await this.#launch(deno, group.config, environment, inspected)
      needed.add(key)
      this.#processes.set(key, running)
      for (const spec of group.functions) this.#place(spec, running)
    }
    for (const { spec, message } of faults) {
      this.#options.log.warn(message, { function: spec.name })
      this.#place(spec, null, message)
    }
    for (const name of this.#entries.keys()) {
      if (!specs.some((spec) => spec.name === name)) this.#drop(name)
    }
    for (const [key, { process }] of before) {
      if (needed.has(key)) continue
      this.#processes.delete(key)
      this.#outlive(process)
    }
    this.#rewatch()
  }

  /** @param fault Why no process can run it. */
  #place(spec: FunctionSpec, running: Running | null, fault: string | null = null): void {
    const entry = this.#entries.get(spec.name)
    if (entry && entry.running === running && entry.spec.entrypoint === spec.entrypoint) {
      entry.spec = spec
      entry.fault = fault ?? entry.fault
      return
    }
    void entry?.worker?.retire('termination')
    const traced = Promise.resolve()
    const record = entry?.record ?? new FunctionRecord()
    const fresh: Entry = { spec, running, worker: null, record, files: entry?.files ?? [], fault, traced }
    this.#entries.set(spec.name, fresh)
    fresh.traced = this.#trace(fresh)
  }

  #drop(name: string): void {
    void this.#entries.get(name)?.worker?.retire('termination')
    this.#entries.delete(name)
  }

  async #launch(
    binary: string,
    { compilerOptions, imports, scopes, npmrc }: DenoConfig,
    { env, hidden, skipped }: Environment,
    isInspected: boolean,
  ): Promise<Running> {
    for (const name of skipped) {
      this.#options.log.warn(`functions: env name cannot start with SUPABASE_, skipping: ${name}`)
    }
    this.#temporary ??= makeTemporaryFolder('functions')
    const own = join(this.#temporary, crypto.randomUUID())
    await mkdir(own)
    const configFile = join(own, 'deno.json')
    const importMapFile = join(own, 'imports.json')
    await writeFile(configFile, JSON.stringify({ compilerOptions }))
    await writeFile(importMapFile, JSON.stringify({ imports, scopes }))
    // Deno reads the one beside its configuration. It may hold tokens.
    if (npmrc) await writeFile(join(own, '.npmrc'), npmrc, { mode: 0o600 })
    const onExit = (wasReady: boolean) => {
      // A process that cannot start would end again immediately, in an endless loop.
      if (!wasReady) return
      this.#options.log.warn('functions: Deno ended unexpectedly and is started again')
      void this.#inTurn(() => this.#reconcile())
    }
    const { folder, inspectorPort, limits, log } = this.#options
    const process = new DenoProcess({
      binary,
      configFile,
      importMapFile,
      env,
      // The project's folder, as for hosted functions' local runtime.
      folder: dirname(dirname(folder)),
      // The port serves one process: functions in further processes (with other import maps) cannot be debugged.
      inspectorPort: isInspected ? inspectorPort : null,
      idle: limits.idle,
      log,
      onExit,
    })
    return { process, hidden }
  }

  /** The path of Deno's binary; null when it cannot be fetched, and the log says why. */
  async #findDeno(): Promise<string | null> {
    const { log, onFetchingDeno } = this.#options
    try {
      return await provideDeno(onFetchingDeno)
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      log.error('functions: none can run without Deno', error)
      return null
    }
  }

  /** Ends a replaced process after its workers had time to finish. */
  #outlive(process: DenoProcess): void {
    this.#leaving.add(process)
    setTimeout(() => {
      this.#leaving.delete(process)
      void process.close()
    }, this.#options.limits.grace * 2).unref()
  }

  #boot(entry: Entry): FunctionWorker {
    if (!entry.running) throw new RelayError('BOOT_ERROR', { cause: entry.fault })
    const { limits, log, onCall = () => undefined } = this.#options
    const { process, hidden } = entry.running
    const { spec, record } = entry
    const variables = ownVariables(this.#options.folder, spec.name)
    this.#booted++
    entry.worker = new FunctionWorker({ spec, variables, process, hidden, limits, log, record, onCall })
    return entry.worker
  }

  /** Determines the files of a function in the background. When there is no module graph (a syntax error), the files
   *  known before and the entrypoint are kept: the error can only be fixed in one of them. */
  async #trace(entry: Entry): Promise<void> {
    if (!entry.running) return
    const { entrypoint, staticFiles, name } = entry.spec
    try {
      const { files: modules, fault } = await entry.running.process.modules(pathToFileURL(entrypoint).href)
      entry.fault = fault
      if (fault !== null) {
        entry.record.add('error', fault)
        this.#options.log.error(`functions: ${name} cannot boot`, new Error(fault))
      }
      const read = staticFiles.length > 0 ? await Array.fromAsync(glob(staticFiles)) : []
      if (staticFiles.length > 0 && read.length === 0)
        this.#options.log.warn(`functions: the static_files of ${name} name no file that is there`)
      entry.files = [...modules, ...read, ownEnvFile(this.#options.folder, name)]
    } catch (error) {
      entry.fault = error instanceof Error ? error.message : String(error)
      if (!this.#closed) this.#options.log.error(`functions: ${name} cannot boot`, error)
    }
    if (!this.#closed) this.#rewatch()
  }

  #rewatch(): void {
    const { folder } = this.#options
    const entries = [...this.#entries.values()]
    this.#watch.set([
      ...envFiles(folder),
      ...[dirname(folder), folder].map((place) => join(place, '.npmrc')),
      ...entries.map(({ spec }) => join(folder, spec.name, '.npmrc')),
      ...entries.flatMap(({ spec, files }) => [spec.entrypoint, ...(spec.importMap ? [spec.importMap] : []), ...files]),
    ])
  }

  async #changed(files: string[]): Promise<void> {
    const { folder, log } = this.#options
    const shown = files.map((file) => relative(folder, file)).join(', ')
    const touched = [...this.#entries.values()].filter(({ spec, files: own }) =>
      files.some((file) => file === spec.entrypoint || own.includes(file)),
    )
    const before = new Map([...this.#entries].map(([name, { running }]) => [name, running]))
    // New imports may need new entries in the import map; a changed deno.json or .env leads to a new process anyway.
    await this.#reconcile()
    const moved = [...this.#entries].filter(([name, { running }]) => before.get(name) !== running).map(([name]) => name)
    for (const entry of touched) {
      if (moved.includes(entry.spec.name) || this.#entries.get(entry.spec.name) !== entry) continue
      const old = entry.worker
      if (old) this.#boot(entry)
      void old?.retire('termination')
      entry.traced = this.#trace(entry)
    }
    const names = [...new Set([...touched.map(({ spec }) => spec.name), ...moved])].sort()
    if (names.length > 0) log.info(`functions: reloaded ${names.join(', ')} (${shown} changed)`)
  }
}
