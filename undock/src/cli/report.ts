import { CloseError } from '../kernel/promises.ts'
import { UserError } from '../kernel/service-error.ts'
import { eventText } from '../runtime/stack/event-text.ts'
import type { LogLine } from '../runtime/stack/log-files.ts'
import type { StackEvent } from '../runtime/stack/options.ts'
import { withName } from './arguments.ts'

/** Prints a line for each step of a start to standard error; standard output is for results. */
export function printEvent(event: StackEvent, name: string | null = null): void {
  console.error(eventLine(event, name))
}

/** @param name The backend's name, for recommended commands. */
export const eventLine = (event: StackEvent, name: string | null): string => `  ${withName(eventText(event), name)}`

/** Prints warnings and errors of services, and the output of functions; requests go only to the log files. */
export function showLine(line: LogLine, print: (text: string) => void = console.error): void {
  const { service, level, message, trace } = line
  if (level === 'info' && service !== 'functions') return
  print(`[${service}] ${message}${trace ? `: ${trace.split('\n', 1)[0]}` : ''}`)
}

/** Adds the backend's name to the commands recommended by a start's error. */
export function nameCommands(error: unknown, name: string | null): unknown {
  if (error instanceof Error) error.message = withName(error.message, name)
  return error
}

/** System errors for unwritable files: the cause is the machine, and the text is for the user. */
const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's disk quota is used up",
}

export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof UserError || error instanceof CloseError) return error.message
  const { code = '', path, hint } = error as NodeJS.ErrnoException & { hint?: string }
  // PGlite's port explains what to do instead.
  if (code === '0A000' && hint) return `${error.message}. ${hint}`
  const reason = REFUSALS[code]
  if (path && reason)
    return `Couldn't use ${path}: ${reason} (${code}).\nundock needs write access to supabase/.undock and its cache folder. To move the cache, set UNDOCK_CACHE_DIR.`
  return error.stack ?? error.message
}

/** Quotes a word for a shell. */
export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Formats rows as lines with aligned columns. @param rows Titles first. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? []
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Milliseconds between two lines of progress. */
const INTERVAL = 2_000

/** Prints a line of progress at most once per interval. */
export function createProgress(): (line: string) => void {
  let reported = performance.now()
  return (line) => {
    if (performance.now() - reported < INTERVAL) return
    reported = performance.now()
    console.error(line)
  }
}
