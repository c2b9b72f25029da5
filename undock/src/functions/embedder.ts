import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../kernel/service.ts'
import { userCacheFolder } from '../platform/folders.ts'
import { DenoProcess } from './deno-process.ts'
import type { Embedded } from './messages.ts'

const PROGRAM = fileURLToPath(new URL('./deno/embedder.js', import.meta.url))
/** Milliseconds without a call after which the model's memory is released. */
const IDLE = 300_000

type Variables = Readonly<Record<string, string>>

/** Returns Deno's cache folder. */
export function denoFolder(env: Variables): string {
  if (env.DENO_DIR) return env.DENO_DIR
  if (process.platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'deno')
  if (process.platform === 'darwin') return join(env.HOME ?? homedir(), 'Library', 'Caches', 'deno')
  return join(env.XDG_CACHE_HOME ?? join(env.HOME ?? homedir(), '.cache'), 'deno')
}

/** Runs the model of `Supabase.ai.Session` in one process for all functions. The process gets no project code, import
 *  map or secrets. */
export class Embedder {
  readonly #command
  readonly #log: Log
  readonly #waiting = new Map<number, (answer: Embedded) => void>()
  #process: DenoProcess | null = null
  #lastNumber = 0
  #idle: NodeJS.Timeout | undefined

  constructor(binary: string, env: Variables, log: Log) {
    const models = join(userCacheFolder(env), 'models')
    const packages = denoFolder(env)
    const folder = fileURLToPath(new URL('./deno', import.meta.url))
    this.#log = log
    this.#command = {
      binary,
      args: [
        '--no-config',
        '--no-lock',
        '--node-modules-dir=none',
        '--allow-net',
        '--allow-env',
        '--allow-sys',
        `--allow-read=${models},${packages},${folder}`,
        `--allow-write=${models}`,
        `--allow-ffi=${packages}`,
        PROGRAM,
      ],
      env: { ...env, UNDOCK_MODELS: models },
      folder,
    }
  }

  embed(question: Readonly<Record<string, unknown>>): Promise<Embedded> {
    clearTimeout(this.#idle)
    const number = ++this.#lastNumber
    this.#process ??= this.#start()
    this.#process.order({ number, question })
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve)
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#process?.kill()
  }

  #start(): DenoProcess {
    const log = this.#log
    const running = new DenoProcess(this.#command, {
      onMessage: (message) => {
        if (message.type === 'embedded') this.#answer(message.number, message)
      },
      onLine: (_level, text) => log.info(`functions: embeddings: ${text}`),
      onExit: () => {
        if (this.#process === running) this.#process = null
        for (const number of this.#waiting.keys())
          this.#answer(number, { error: 'The process of the embedding model ended' })
      },
    })
    return running
  }

  #answer(number: number, { output, error }: Embedded): void {
    this.#waiting.get(number)?.({ output, error })
    this.#waiting.delete(number)
    if (this.#waiting.size > 0) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#process?.kill(), IDLE).unref()
  }
}
