import { type ChildProcess, execFile, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { type DenoMessage, MESSAGE_PREFIX, readMessage } from './messages.ts'
import { type ModuleGraph, readModuleGraph } from './module-graph.ts'
import { guardAgainstOrphan } from './orphan-guard.ts'

/** Flags of every Deno program: nothing in the folders around it is its configuration, and it never asks. */
const COMMON = ['--quiet', '--no-check', '--no-prompt']

export type DenoCommand = {
  /** The path of Deno's binary. */
  readonly binary: string
  /** Flags and the main module. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The folder that relative paths refer to. */
  readonly folder: string
}

export type DenoListener = {
  onMessage(message: DenoMessage): void
  /** A line that the program wrote itself. */
  onLine(level: 'info' | 'warn', text: string): void
  /** The program ended, or could not be started.
   *  @property ranOutOfMemory Whether V8 ended it because its heap was full. */
  onExit(end: { readonly code: number | null; readonly ranOutOfMemory: boolean }): void
}

/** A running Deno program and the connection to it. */
export class DenoProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>

  /** @throws when the operating system refuses the command */
  constructor({ binary, args, env, folder }: DenoCommand, { onMessage, onLine, onExit }: DenoListener) {
    const child = spawn(binary, ['run', ...COMMON, ...args], { cwd: folder, env: { ...env }, stdio: 'pipe' })
    this.#child = child
    guardAgainstOrphan(child)
    let ranOutOfMemory = false
    onLines(child.stdout, (line) => {
      const at = line.indexOf(MESSAGE_PREFIX)
      const message = at === -1 ? null : readMessage(line.slice(at + 1))
      // A function that writes without a line's end is still writing when a message comes.
      const text = message ? line.slice(0, at) : line
      if (text !== '') onLine('info', text)
      if (message) onMessage(message)
    })
    onLines(child.stderr, (line) => {
      ranOutOfMemory ||= OUT_OF_MEMORY.test(line)
      if (!ranOutOfMemory && line.trim() !== '' && !NOISE.test(line)) onLine('warn', line)
    })
    // Writing to a process that is gone is reported by its exit.
    child.stdin.on('error', () => undefined)
    this.#exited = new Promise((resolve) => {
      let isOver = false
      const end = (code: number | null) => {
        if (isOver) return
        isOver = true
        onExit({ code, ranOutOfMemory })
        resolve()
      }
      child.once('close', end)
      child.once('error', (error) => {
        onLine('warn', `Deno does not run: ${error.message}`)
        if (child.pid === undefined) end(null)
      })
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  order(order: object): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`)
  }

  /** Ends the program, whatever it does. */
  kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    return this.#exited
  }
}

/** What V8 writes before it ends a process whose heap is full; a dump of its own state follows. */
const OUT_OF_MEMORY = /^<--- Last few GCs|^# Fatal (?:JavaScript|process) out of memory/
/** Deno's advice to use a command that functions are not started with. */
const NOISE = /^warning: Detected export default/

/** Characters of a line that are awaited; a longer one is reported in parts. */
const LONGEST_LINE = 16 * 2 ** 20

function onLines(stream: Readable, tell: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = text.split('\n')
    lines[0] = rest + lines[0]
    rest = lines.pop() ?? ''
    for (const line of lines) tell(line)
    if (rest.length < LONGEST_LINE) return
    tell(rest)
    rest = ''
  })
  stream.once('end', () => {
    if (rest !== '') tell(rest)
  })
}

/** The modules that a program consists of; computing them also downloads missing ones.
 *  @param signal Ends a download that stalls. */
export async function readModules(
  { binary, args, env, folder }: DenoCommand,
  signal: AbortSignal,
): Promise<ModuleGraph> {
  const options = { cwd: folder, env: { ...env }, maxBuffer: 64 * 2 ** 20, signal, killSignal: 'SIGKILL' as const }
  const printed = await new Promise<string>((resolve, reject) => {
    // Without the flag Deno refuses all hosts but a few, which functions do not.
    execFile(binary, ['info', '--json', '--allow-import', ...args], options, (error, out) =>
      error ? reject(error) : resolve(out),
    )
  })
  return readModuleGraph(printed)
}
