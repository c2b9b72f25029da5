import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Log } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'

export type MetaRequest = {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: Buffer | undefined
}

export type MetaResponse = {
  readonly status: number
  readonly contentType: string | null
  readonly body: Uint8Array<ArrayBuffer>
}

const ENTRY = fileURLToPath(new URL('./process-entry.js', import.meta.url))
/** MiB that the result of one query may have; larger ones are refused by postgres-meta. */
const MAX_RESULT = '128'

export type MetaProcessOptions = {
  /** The file of postgres-meta that builds its server. */
  readonly file: string
  readonly dbUrl: string
  readonly log: Log
  /** Called once, however it ends. */
  readonly onEnd: () => void
}

/** postgres-meta in its own process: it reads its settings from the environment as it is imported, changes how
 *  node-postgres reads types, and takes 260 MB, which end with it. */
export class MetaProcess {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, PromiseWithResolvers<MetaResponse>>()
  #lastId = 0
  #ended = false

  constructor({ file, dbUrl, log, onEnd }: MetaProcessOptions) {
    const { SystemRoot } = process.env
    this.#child = fork(ENTRY, [file], {
      // Buffers stay buffers.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
      env: {
        NODE_NO_WARNINGS: '1',
        PG_META_DB_URL: dbUrl,
        PG_META_MAX_RESULT_SIZE_MB: MAX_RESULT,
        // Windows opens no socket without it.
        ...(SystemRoot !== undefined && { SystemRoot }),
      },
    })
    if (this.#child.stderr) createInterface(this.#child.stderr).on('line', (line) => log.warn(`postgres-meta: ${line}`))
    this.#child.on('message', (message) => this.#receive(message as { id: number } & MetaResponse))
    this.#child.once('error', () => this.#end(onEnd))
    this.#child.once('exit', () => this.#end(onEnd))
  }

  /** @throws {ServiceError} 502 when the process ends before it has answered */
  answer(request: MetaRequest): Promise<MetaResponse> {
    const id = ++this.#lastId
    const pending = Promise.withResolvers<MetaResponse>()
    this.#pending.set(id, pending)
    // Messages sent before the package is loaded wait in the channel. A dead process is reported by its exit.
    this.#child.send({ id, request }, () => undefined)
    return pending.promise
  }

  async close(): Promise<void> {
    if (this.#ended) return
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exit
  }

  #receive({ id, ...response }: { id: number } & MetaResponse): void {
    this.#pending.get(id)?.resolve(response)
    this.#pending.delete(id)
  }

  #end(onEnd: () => void): void {
    if (this.#ended) return
    this.#ended = true
    onEnd()
    for (const { reject } of this.#pending.values())
      reject(new ServiceError('ended', 502, 'postgres-meta has ended; undock logs has its last words'))
    this.#pending.clear()
  }
}
