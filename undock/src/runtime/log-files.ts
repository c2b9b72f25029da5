import { createReadStream, createWriteStream, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Log, LogFields } from '../kernel/service.ts'

export type LogLevel = 'info' | 'warn' | 'error'

export type LogLine = {
  readonly time: string
  readonly service: string
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
  /** The stack of an error; files have it, the terminal does not. */
  readonly trace?: string
}

export type LogFiles = {
  logOf(service: string): Log
  /** The lines of a service, oldest first; of a stack that keeps no files, the newest. */
  read(service: string): Promise<LogLine[]>
  close(): Promise<void>
}

/** Milliseconds that a line may wait for others: each write of its own costs as much as a tenth of a request. */
const GATHER = 50

/** Without files: the most lines of a service that are kept, and the most characters of a message. */
const KEPT_LINES = 1_000
const KEPT_CHARACTERS = 2_000

/** One file a service, a line of JSON each, in the folder that `undock logs` reads.
 *  @param folder Null keeps no files, and the newest lines in memory.
 *  @param show Sees every line too, for the terminal. */
export function openLogFiles(folder: string | null, show: (line: LogLine) => void): LogFiles {
  const files = new Map<string, LogFile>()
  const kept = new Map<string, LogLine[]>()
  if (folder) mkdirSync(folder, { recursive: true })

  function write(line: LogLine): void {
    show(line)
    if (!folder) {
      keep(line)
      return
    }
    let file = files.get(line.service)
    if (!file) {
      // A full disk shall not end the stack: the terminal is told once, the file goes without these lines.
      file = openLogFile(join(folder, `${line.service}.log`), ({ message }) =>
        show({ ...line, level: 'warn', message: `The log cannot be written: ${message}` }),
      )
      files.set(line.service, file)
    }
    file.add(line)
    // The process may end right after this.
    if (line.level === 'error') file.flush()
  }

  function keep({ message, trace, ...line }: LogLine): void {
    const lines = kept.get(line.service) ?? []
    if (lines.length === KEPT_LINES) lines.shift()
    lines.push({
      ...line,
      message: message.slice(0, KEPT_CHARACTERS),
      ...(trace ? { trace: trace.slice(0, KEPT_CHARACTERS) } : {}),
    })
    kept.set(line.service, lines)
  }

  return {
    logOf(service) {
      const at = (level: LogLevel, message: string, fields: LogFields, trace?: string): void =>
        write({ time: new Date().toISOString(), service, level, message, fields, ...(trace ? { trace } : {}) })
      return {
        info: (message, fields = {}) => at('info', message, fields),
        warn: (message, fields = {}) => at('warn', message, fields),
        error: (message, error, fields = {}) => at('error', message, fields, traceOf(error)),
      }
    },
    read: async (service) => (folder ? readLogOf(folder, service) : [...(kept.get(service) ?? [])]),
    async close() {
      await Promise.all([...files.values()].map((file) => file.close()))
    },
  }
}

/** The lines of a log file, oldest first.
 *  @param start The byte at which a line begins. */
export async function readLogLines(path: string, start = 0): Promise<LogLine[]> {
  const lines: LogLine[] = []
  for await (const text of createInterface({ input: createReadStream(path, { start }) })) {
    if (text) lines.push(JSON.parse(text) as LogLine)
  }
  return lines
}

/** The lines that a service has logged; none when it has no file yet. */
async function readLogOf(folder: string, service: string): Promise<LogLine[]> {
  const path = join(folder, `${service}.log`)
  return existsSync(path) ? readLogLines(path) : []
}

type LogFile = { add(line: LogLine): void; flush(): void; close(): Promise<void> }

function openLogFile(path: string, onFirstError: (error: Error) => void): LogFile {
  const stream = createWriteStream(path, { flags: 'a' })
  stream.once('error', onFirstError)
  stream.on('error', () => undefined)
  let lines: LogLine[] = []
  const flush = (): void => {
    if (lines.length > 0) stream.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    lines = []
  }
  return {
    add(line) {
      if (lines.length === 0) setTimeout(flush, GATHER)
      lines.push(line)
    },
    flush,
    close() {
      flush()
      return new Promise((resolve) => stream.end(resolve))
    },
  }
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${traceOf(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
