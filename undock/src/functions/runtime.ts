import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { glob, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Config } from '../config/config.ts'
import type { Env } from '../config/env.ts'
import { readOptional } from '../config/files.ts'
import type { Log } from '../kernel/service.ts'
import { FetchError } from '../platform/fetched-package.ts'
import { makeTemporaryFolder } from '../platform/folders.ts'
import { type FunctionSpec, findFunctions, mayExist } from './catalogue.ts'
import { provideDeno } from './deno-binary.ts'
import { type DenoCommand, readModules } from './deno-process.ts'
import { denoFolder, Embedder } from './embedder.ts'
import {
  type Environment,
  type EnvironmentOptions,
  envFiles,
  ownEnvFile,
  ownVariables,
  readEnvironment,
} from './environment.ts'
import { FileWatch, realPath } from './file-watch.ts'
import { type FunctionError, type FunctionLine, FunctionRecord } from './function-record.ts'
import { FunctionWorker, type Limits } from './function-worker.ts'
import { type DenoConfig, planImports } from './import-plan.ts'
import type { FunctionCall } from './messages.ts'
import { RelayError } from './relay-error.ts'
import type { WorkerCounts } from './request-metrics.ts'
import { stateFolders } from './workspace.ts'

/** How a function's processes are started. */
type Settings = {
  readonly binary: string
  /** Name its configuration, in a folder no function can access. */
  readonly flags: readonly string[]
  readonly environment: Environment
  /** The npm packages in its import map. */
  readonly packages: Readonly<Record<string, string>>
  readonly readable: readonly string[]
  /** Within what is readable. */
  readonly unreadable: readonly string[]
  /** Changes whenever the settings do. */
  readonly key: string
}

type Entry = {
  spec: FunctionSpec
  /** Null if invalid; the reason is logged. */
  readonly settings: Settings | null
  worker: FunctionWorker | null
  readonly record: FunctionRecord
  /** Local files of its module graph, once known. */
  files: readonly string[]
  /** Why it can't boot, if known. */
  fault: string | null
  /** Settles once its modules are downloaded and known. */
  traced: Promise<void>
}

const PRELUDE = fileURLToPath(new URL('./deno/worker.js', import.meta.url))

export type RuntimeOptions = Omit<EnvironmentOptions, 'secrets'> & {
  /** The machine's environment and the project's files: values for `.npmrc`. */
  readonly env: Env
  readonly config: Config
  readonly limits: Limits
  readonly log: Log
  readonly onCall?: ((call: FunctionCall) => void) | undefined
  onFetchingDeno(): void
  /** Null to turn the debugger off. */
  readonly inspectorPort: number | null
}

export type FunctionCheck = { readonly name: string; readonly fault: string | null }

/** A function's current state. */
export type FunctionState = FunctionCheck & {
  /** Absolute path. */
  readonly entrypoint: string
  readonly verifyJwt: boolean
  /** `none` before the first request; `ended` until the next request starts another. */
  readonly worker: 'none' | 'booting' | 'ready' | 'ended'
  readonly lastError: FunctionError | null
}

/** Temporary settings of `supabase functions serve`. */
export type ServeSettings = {
  /** Replace the variables in the project's files. */
  readonly variables?: Readonly<Record<string, string>>
  /** Whether to skip token checks. */
  readonly noVerifyJwt?: boolean
}

/** The project's functions and their Deno processes, updated as files change. One process per worker isolates functions
 *  from each other's failures and memory. */
export class Runtime {
  readonly #options: RuntimeOptions
  readonly #watch: FileWatch
  readonly #entries = new Map<string, Entry>()
  /** Includes retiring workers until their processes end. */
  readonly #workers = new Map<FunctionWorker, { readonly inspectorPort: number | null }>()
  readonly #closing = new AbortController()
  #embedder: Embedder | null = null
  #temporary: string | null = null
  /** Settings of each running `functions serve`; the newest wins. */
  readonly #serving: ServeSettings[] = []
  /** Deno couldn't be downloaded; the next request retries. */
  #lacksDeno = false
  /** Serializes changes. */
  #turn: Promise<void> = Promise.resolve()
  #closed = false
  #booted = 0

  constructor(options: RuntimeOptions) {
    this.#options = options
    this.#watch = new FileWatch((files) => void this.#inTurn(() => this.#changed(files)))
  }

  /** Reads the functions and downloads their imports. */
  start(): Promise<void> {
    return this.#inTurn(() => this.#reconcile())
  }

  /** Applies settings.
   *  @returns a function that removes them, without affecting other callers' settings. */
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

  /** All functions, each with the reason it can't boot, if known yet. */
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

  /** Returns a function's latest lines, oldest first; null for an unknown function. */
  linesOf(name: string): readonly FunctionLine[] | null {
    return this.#entries.get(name)?.record.lines ?? null
  }

  /** Checks all functions once their modules are downloaded.
   *  @param tell Called with each result.
   *  @param boots Whether to also start each, one after another, until it listens. */
  async check(
    tell: (check: FunctionCheck) => void = () => undefined,
    { boots = false } = {},
  ): Promise<FunctionCheck[]> {
    await this.#turn
    let booting: Promise<unknown> = Promise.resolve()
    return Promise.all(
      [...this.#entries.values()].map(async (entry) => {
        await entry.traced
        if (boots && entry.fault === null) {
          booting = booting.then(() => this.#tryBoot(entry))
          await booting
        }
        const check = { name: entry.spec.name, fault: entry.fault }
        tell(check)
        return check
      }),
    )
  }

  /** Finds a function, including one added a moment ago. */
  async find(name: string): Promise<FunctionSpec | undefined> {
    await this.#turn
    if (!this.#entries.has(name) && mayExist(this.#options.folder, name)) await this.#inTurn(() => this.#reconcile())
    return this.#entries.get(name)?.spec
  }

  /** Returns the function's worker, starting one if needed; always a new one under the policy `oneshot`.
   *  @throws {RelayError} BOOT_ERROR */
  async worker(name: string): Promise<FunctionWorker | undefined> {
    await this.#turn
    if (this.#lacksDeno) await this.#inTurn(() => this.#reconcile())
    if (this.#closed) throw new RelayError('BOOT_ERROR')
    const entry = this.#entries.get(name)
    if (!entry) return undefined
    return entry.worker?.isUsable && !this.isOneshot ? entry.worker : this.#boot(entry)
  }

  get isOneshot(): boolean {
    return this.#options.config.edge_runtime.policy === 'oneshot'
  }

  /** Processes of functions, also replaced ones with background tasks. */
  get processes(): number {
    return this.#workers.size
  }

  get workerCounts(): WorkerCounts {
    const active = [...this.#entries.values()].filter(({ worker }) => worker?.isUsable).length
    return { active, retired: this.#booted - active }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#watch.close()
    this.#closing.abort()
    await this.#turn
    await Promise.all([...[...this.#workers.keys()].map((worker) => worker.kill()), this.#embedder?.close()])
    await Promise.all([...this.#entries.values()].map(({ traced }) => traced))
    if (this.#temporary) await rm(this.#temporary, { recursive: true, force: true })
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const { log } = this.#options
    this.#turn = this.#turn
      .then(() => (this.#closed ? undefined : work()))
      .catch((error) => log.error('functions: the project cannot be read', error))
    return this.#turn
  }

  /** Matches functions to the folder, import maps and environment, and replaces workers whose settings changed. */
  async #reconcile(): Promise<void> {
    const { config, folder, log } = this.#options
    const { variables, noVerifyJwt = false } = this.#serving.at(-1) ?? {}
    const functions = await findFunctions(folder, config.functions)
    const specs = functions.map((spec) => ({ ...spec, verifyJwt: spec.verifyJwt && !noVerifyJwt }))
    const environment = await readEnvironment({
      ...this.#options,
      ...(variables !== undefined && { variables }),
      secrets: config.edge_runtime.secrets,
    })
    const invalid = Object.entries(environment.variables).find(([, value]) => value.includes('\0'))
    if (invalid) throw new Error(`the variable ${invalid[0]} has a null character`)
    for (const name of environment.skipped)
      log.warn(`functions: env name cannot start with SUPABASE_, skipping: ${name}`)
    const { configs, faults, root } = await planImports(specs, folder, this.#options.env)
    const [around, cache] = [root ?? this.#project, denoFolder(environment.system)].map((one) => [one, realPath(one)])
    const states = await Promise.all([...new Set(around)].map(stateFolders))
    // The Cache API's files are in Deno's cache.
    const unreadable = [...states.flat(), ...(cache ?? []).map((one) => join(one, 'location_data'))]
    const binary = configs.size === 0 ? null : await this.#findDeno()
    this.#lacksDeno = configs.size > 0 && binary === null
    for (const [spec, own] of configs) {
      if (binary === null) this.#place(spec, null, 'Deno could not be fetched')
      else this.#place(spec, await this.#settingsOf(spec, own, { binary, environment, root, unreadable }))
    }
    for (const { spec, message } of faults) {
      log.warn(message, { function: spec.name })
      this.#place(spec, null, message)
    }
    for (const name of this.#entries.keys()) {
      if (!specs.some((spec) => spec.name === name)) this.#drop(name)
    }
    this.#rewatch()
  }

  /** @param fault Why it can't run. */
  #place(spec: FunctionSpec, settings: Settings | null, fault: string | null = null): void {
    const entry = this.#entries.get(spec.name)
    if (entry && entry.settings?.key === settings?.key && entry.spec.entrypoint === spec.entrypoint) {
      entry.spec = spec
      entry.fault = fault ?? entry.fault
      return
    }
    void entry?.worker?.retire('termination')
    const traced = Promise.resolve()
    const record = entry?.record ?? new FunctionRecord()
    const fresh: Entry = { spec, settings, worker: null, record, files: entry?.files ?? [], fault, traced }
    this.#entries.set(spec.name, fresh)
    fresh.traced = this.#trace(fresh)
  }

  #drop(name: string): void {
    void this.#entries.get(name)?.worker?.retire('termination')
    this.#entries.delete(name)
  }

  /** Writes a function's configuration if it changed. */
  async #settingsOf(
    { name, entrypoint }: FunctionSpec,
    { compilerOptions, imports, scopes, npmrc }: DenoConfig,
    { root, ...others }: Pick<Settings, 'binary' | 'environment' | 'unreadable'> & { readonly root: string | null },
  ): Promise<Settings> {
    const lock = readOptional(join(dirname(entrypoint), 'deno.lock'))
    const files = {
      'deno.json': JSON.stringify({ compilerOptions }),
      // Separate, because a function's own deno.json overrides imports in a deno.json but not in an import map.
      'imports.json': JSON.stringify({ imports, scopes }),
      // Deno reads the file next to its configuration. It may contain tokens.
      ...(npmrc && { '.npmrc': npmrc }),
      // Copied, because Deno adds missing entries.
      ...(lock !== undefined && { 'deno.lock': lock }),
    }
    const isCommonJs = mayBeCommonJs(readOptional(entrypoint) ?? '')
    const key = JSON.stringify([files, others, root, isCommonJs])
    const known = this.#entries.get(name)?.settings
    if (known?.key === key) return known
    const own = await mkdtemp(join(this.#folderFor('configuration'), `${name}-`))
    for (const [file, text] of Object.entries(files)) await writeFile(join(own, file), text, { mode: 0o600 })
    const flags = ['--config', join(own, 'deno.json'), '--import-map', join(own, 'imports.json')]
    // Code shared with bundlers omits file extensions.
    flags.push('--sloppy-imports', lock === undefined ? '--no-lock' : `--lock=${join(own, 'deno.lock')}`)
    if (isCommonJs) flags.push('--unstable-detect-cjs')
    const readable = [this.#project, root, dirname(entrypoint), denoFolder(others.environment.system)]
    // Node looks for packages in all parent folders.
    for (let at = this.#project; at !== dirname(at); at = dirname(at)) readable.push(join(dirname(at), 'node_modules'))
    const packages = Object.fromEntries(Object.entries(imports).filter(([, address]) => address.startsWith('npm:')))
    // Modules have the paths by which they are found, through links.
    const places = new Set(readable.flatMap((one) => (one === null ? [] : [one, realPath(one)])))
    return { ...others, flags, packages, readable: [...places], key }
  }

  /** The project's folder, the base of relative paths as in the CLI's functions runtime. */
  get #project(): string {
    return dirname(dirname(this.#options.folder))
  }

  #folderFor(purpose: 'configuration' | 'files'): string {
    this.#temporary ??= realpathSync(makeTemporaryFolder('functions'))
    const folder = join(this.#temporary, purpose)
    mkdirSync(folder, { recursive: true })
    return folder
  }

  /** The path of Deno's binary; null if it can't be downloaded, which is logged. */
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

  #boot(entry: Entry): FunctionWorker {
    const { settings, spec, record } = entry
    if (!settings) throw new RelayError('BOOT_ERROR', { cause: entry.fault })
    const { limits, log, onCall = () => undefined } = this.#options
    const temporary = mkdtempSync(join(this.#folderFor('files'), `${spec.name}-`))
    const inspectorPort = this.#freeInspectorPort()
    if (inspectorPort !== null)
      log.info(`functions: a debugger may attach to 127.0.0.1:${inspectorPort} (${spec.name})`)
    const worker = new FunctionWorker({
      name: spec.name,
      command: this.#commandOf(spec, settings, temporary, inspectorPort),
      temporary,
      limits,
      log,
      record,
      onCall,
      embed: (question) => {
        this.#embedder ??= new Embedder(settings.binary, settings.environment.system, log)
        return this.#embedder.embed(question)
      },
      onGone: (one) => this.#workers.delete(one),
    })
    this.#booted++
    this.#workers.set(worker, { inspectorPort })
    entry.worker = worker
    return worker
  }

  /** The worker's command. Grants read access to code and packages and write access to the temporary folder, but no
   *  subprocesses or native code. */
  #commandOf(
    { name, entrypoint, staticFiles }: FunctionSpec,
    { binary, flags, environment, readable, unreadable, packages }: Settings,
    temporary: string,
    inspectorPort: number | null,
  ): DenoCommand {
    const { folder, limits } = this.#options
    const places = { TMPDIR: temporary, TEMP: temporary, TMP: temporary }
    const own = { ...ownVariables(folder, name), SB_EXECUTION_ID: crypto.randomUUID() }
    const variables = { ...environment.variables, ...own, ...places }
    const roots = [...readable, ...staticFiles.map((pattern) => dirname(pattern.replace(/[*?[{].*$/, 'x')))]
    return {
      binary,
      args: [
        ...flags,
        '--allow-net',
        '--allow-env',
        '--allow-sys',
        '--allow-import',
        `--allow-read=${[...roots, temporary].map(listed).join(',')}`,
        ...unreadable.map((place) => `--deny-read=${listed(place)}`),
        `--allow-write=${listed(temporary)}`,
        `--v8-flags=--expose-gc,--max-old-space-size=${Math.ceil(limits.memory / 2 ** 20)}`,
        ...(inspectorPort === null ? [] : [`--inspect=127.0.0.1:${inspectorPort}`]),
        `--preload=${PRELUDE}`,
        pathToFileURL(entrypoint).href,
      ],
      env: { ...environment.system, ...places },
      input: { variables, temporary, readable: roots, packages },
      folder: this.#project,
    }
  }

  /** The debugger's port, or the next one no other function uses. */
  #freeInspectorPort(): number | null {
    const { inspectorPort } = this.#options
    if (inspectorPort === null) return null
    const taken = new Set([...this.#workers.values()].map((one) => one.inspectorPort))
    let port = inspectorPort
    while (taken.has(port)) port++
    return port
  }

  /** Starts a function to see whether it listens. */
  async #tryBoot(entry: Entry): Promise<void> {
    try {
      const worker = entry.worker?.isUsable ? entry.worker : this.#boot(entry)
      await worker.port
    } catch (error) {
      entry.fault = error instanceof RelayError && typeof error.cause === 'string' ? error.cause : String(error)
    }
  }

  /** Determines a function's files in the background. Without a module graph (a syntax error), keeps the known files
   *  and the entrypoint, one of which must contain the fix. */
  async #trace(entry: Entry): Promise<void> {
    if (!entry.settings) return
    const { entrypoint, staticFiles, name } = entry.spec
    const { binary, flags, environment } = entry.settings
    try {
      const { files: modules, fault } = await readModules(
        { binary, args: [...flags, pathToFileURL(entrypoint).href], env: environment.system, folder: this.#project },
        this.#closing.signal,
      )
      entry.fault = fault
      if (fault !== null) {
        entry.record.add('error', fault)
        this.#options.log.error(`functions: ${name} cannot boot`, new Error(fault))
      }
      const read = staticFiles.length > 0 ? await Array.fromAsync(glob(staticFiles)) : []
      if (staticFiles.length > 0 && read.length === 0)
        this.#options.log.warn(`functions: the static_files of ${name} match no file`)
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
    const paths = files.map((file) => relative(folder, file)).join(', ')
    const touched = [...this.#entries.values()].filter(({ spec, files: own }) =>
      files.some((file) => file === spec.entrypoint || own.includes(file)),
    )
    const before = new Map([...this.#entries].map(([name, { settings }]) => [name, settings]))
    // New imports may need new import map entries; a changed deno.json or .env replaces the worker anyway.
    await this.#reconcile()
    const moved = [...this.#entries]
      .filter(([name, { settings }]) => before.get(name) !== settings)
      .map(([name]) => name)
    for (const entry of touched) {
      if (moved.includes(entry.spec.name) || this.#entries.get(entry.spec.name) !== entry) continue
      const old = entry.worker
      if (old) this.#boot(entry)
      void old?.retire('termination')
      entry.traced = this.#trace(entry)
    }
    const names = [...new Set([...touched.map(({ spec }) => spec.name), ...moved])].sort()
    if (names.length > 0) log.info(`functions: reloaded ${names.join(', ')} (${paths} changed)`)
  }
}

/** Whether Deno should detect if a file without imports and exports is CommonJS. Deno mistakes code with a top-level
 *  await for it. */
const mayBeCommonJs = (text: string): boolean =>
  /^\s*(?:import|export)\b/m.test(text) || /\b(?:require|exports)\b/.test(text)

/** Deno separates list items with commas. */
const listed = (path: string): string => path.replaceAll(',', ',,')
