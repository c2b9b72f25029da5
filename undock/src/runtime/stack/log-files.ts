import { constants, createReadStream, createWriteStream, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { tryJson } from '../../kernel/json.ts'
import { createRecentLines, type LogLevel, type LogLine, type RecentLines } from '../../kernel/log-lines.ts'
import type { Log, LogFields } from '../../kernel/service.ts'

export type { LogLine }

export type LogFiles = {
  logOf(service: string): Log
  /** Reads a service's lines, oldest first; without files, only the newest. */
  read(service: string): Promise<LogLine[]>
  /** The latest lines of all services, with or without files. */
  readonly recent: RecentLines
  close(): Promise<void>
}

/** Milliseconds to batch lines: a separate write costs a tenth of a request. */
const GATHER = 50

/** Opens one file per service, with one JSON object per line, for `undock logs`.
 *  @param folder Null keeps the newest lines in memory instead.
 *  @param show Also gets every line, for the terminal. */
export function openLogFiles(folder: string | null, show: (line: LogLine) => void): LogFiles {
  const files = new Map<string, LogFile>()
  const recent = createRecentLines()
  if (folder) mkdirSync(folder, { recursive: true })

  function write(line: LogLine): void {
    show(line)
    recent.add(line)
    if (!folder) return
    let file = files.get(line.service)
    if (!file) {
      // A full disk must not end the stack: warn once in the terminal and skip these lines.
      file = openLogFile(join(folder, `${line.service}.log`), ({ message }) =>
        show({ ...line, level: 'warn', message: `Couldn't write the log: ${message}` }),
      )
      files.set(line.service, file)
    }
    file.add(line)
    // The process may end right after this.
    if (line.level === 'error') file.flush()
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
    read: async (service) =>
      folder ? readLogOf(folder, service) : recent.since(0).filter((line) => line.service === service),
    recent,
    async close() {
      await Promise.all([...files.values()].map((file) => file.close()))
    },
  }
}

/** Reads a log file, oldest line first, skipping an incomplete line of an ended process.
 *  @param start The byte offset of a line.
 *  @returns `end` is the offset after the last complete line; the rest is still being written. */
export async function readLogLines(path: string, start = 0): Promise<{ lines: LogLine[]; end: number }> {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(path, { start })) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const length = bytes.lastIndexOf('\n') + 1
  const lines = bytes.toString('utf8', 0, length).split('\n').map(parseLine)
  return { lines: lines.filter((line) => line !== null), end: start + length }
}

const parseLine = (text: string): LogLine | null => (tryJson(text) ?? null) as LogLine | null

/** The lines a service has logged; none without a file. */
async function readLogOf(folder: string, service: string): Promise<LogLine[]> {
  const path = join(folder, `${service}.log`)
  return existsSync(path) ? (await readLogLines(path)).lines : []
}

/** A cloned repository may contain a link in a log's place. Windows lacks the flag, but also links for unprivileged
 *  users. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)

type LogFile = { add(line: LogLine): void; flush(): void; close(): Promise<void> }

function openLogFile(path: string, onFirstError: (error: Error) => void): LogFile {
  let fd: number
  try {
    fd = openSync(path, FLAGS)
  } catch (error) {
    onFirstError(error instanceof Error ? error : new Error(String(error)))
    return { add: () => undefined, flush: () => undefined, close: async () => undefined }
  }
  const stream = createWriteStream(path, { fd })
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
