import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { type DenoMessage, MESSAGE_PREFIX, readMessage } from './messages.ts'
import { type ModuleGraph, readModuleGraph } from './module-graph.ts'

/** Keep Deno from reading configuration in surrounding folders, and from prompting. */
const COMMON = ['--quiet', '--no-check', '--no-prompt']

export type DenoCommand = {
  readonly binary: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The beginning of its standard input, as JSON of UNDOCK_INPUT_SIZE bytes. */
  readonly input?: object
  readonly folder: string
}

export type DenoListener = {
  onMessage(message: DenoMessage): void
  /** A line of the program's own output. */
  onLine(level: 'info' | 'warn', text: string): void
  /** The program ended or couldn't be started.
   *  @property ranOutOfMemory Whether V8 ended it because its heap was full. */
  onExit(end: { readonly code: number | null; readonly ranOutOfMemory: boolean }): void
}

export class DenoProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>

  /** @throws if the operating system refuses the command */
  constructor({ binary, args, env, input, folder }: DenoCommand, { onMessage, onLine, onExit }: DenoListener) {
    const first = input ? JSON.stringify(input) : ''
    const all = { ...env, UNDOCK_INPUT_SIZE: String(Buffer.byteLength(first)) }
    const child = spawn(binary, ['run', ...COMMON, ...args], { cwd: folder, env: all, stdio: 'pipe' })
    this.#child = child
    guardAgainstOrphan(child)
    let ranOutOfMemory = false
    onLines(child.stdout, (line) => {
      const at = line.indexOf(MESSAGE_PREFIX)
      const message = at === -1 ? null : readMessage(line.slice(at + 1))
      // A message can follow output without a newline.
      const text = message ? line.slice(0, at) : line
      if (text !== '') onLine('info', text)
      if (message) onMessage(message)
    })
    onLines(child.stderr, (line) => {
      ranOutOfMemory ||= OUT_OF_MEMORY.test(line)
      if (!ranOutOfMemory && line.trim() !== '' && !NOISE.test(line)) onLine('warn', line)
    })
    // Write errors of an ended process are reported by its exit.
    child.stdin.on('error', () => undefined)
    child.stdin.write(first)
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

  kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    return this.#exited
  }
}

/** V8's output before it aborts on a full heap; a dump of its state follows. */
const OUT_OF_MEMORY = /^<--- Last few GCs|^# Fatal (?:JavaScript|process) out of memory/
/** Deno's advice about a command that doesn't apply here. */
const NOISE = /^warning: Detected export default/

/** Characters buffered per message, and per line of other output; longer ones are reported in parts. */
const MAX_MESSAGE_LENGTH = 16 * 2 ** 20
const MAX_LINE_LENGTH = 2 ** 16
/** Characters read of a stream until the next pause; each line counts as some more. A program that writes faster waits,
 *  because all programs share this process's time. */
const PORTION = 2 ** 18
const LINE_COST = 200
/** Milliseconds from one portion to the next. */
const PAUSE = 50

/** Calls back with each line of a stream, which may write about 5 MB a second. */
export function onLines(stream: Readable, tell: (line: string) => void): void {
  let rest = ''
  let portion = 0
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = text.split('\n')
    if (portion === 0)
      setTimeout(() => {
        portion = 0
        stream.resume()
      }, PAUSE)
    portion += text.length + lines.length * LINE_COST
    if (portion > PORTION) stream.pause()
    lines[0] = rest + lines[0]
    rest = lines.pop() ?? ''
    for (const line of lines) tell(line)
    if (rest.length < (rest.includes(MESSAGE_PREFIX) ? MAX_MESSAGE_LENGTH : MAX_LINE_LENGTH)) return
    tell(rest)
    rest = ''
  })
  stream.once('end', () => {
    if (rest !== '') tell(rest)
  })
}

/** Returns the modules of a program, downloading missing ones.
 *  @param signal Aborts a stalled download. */
export async function readModules(
  { binary, args, env, folder }: DenoCommand,
  signal: AbortSignal,
): Promise<ModuleGraph> {
  const options = { cwd: folder, env: { ...env }, maxBuffer: 64 * 2 ** 20, signal, killSignal: 'SIGKILL' as const }
  const printed = await new Promise<string>((resolve, reject) => {
    // Without the flag Deno allows a few hosts only, unlike hosted functions.
    execFile(binary, ['info', '--json', '--allow-import', ...args], options, (error, out) =>
      error ? reject(error) : resolve(out),
    )
  })
  return readModuleGraph(printed)
}

/** Kills the processes of the last line it read when its input ends, which it does however this process dies. */
const SCRIPT = `while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids 2>/dev/null`

const guarded = new Set<ChildProcess>()
let guard: ChildProcess | undefined

/** Ends `child` when this process is killed: a child in an endless loop can't notice that by itself. On Windows, which has no shell for
 *  this, such a child stays. */
function guardAgainstOrphan(child: ChildProcess): void {
  if (process.platform === 'win32' || child.pid === undefined) return
  guard ??= startGuard()
  guarded.add(child)
  child.once('exit', () => {
    guarded.delete(child)
    update()
  })
  update()
}

function startGuard(): ChildProcess {
  // In a group of its own, so that Ctrl-C in a terminal doesn't end the guard before the processes it watches.
  const started = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  started.stdin?.on('error', () => undefined)
  started.on('error', () => undefined)
  started.once('close', () => {
    guard = undefined
  })
  // Neither keeps this process from ending.
  started.unref()
  const input: unknown = started.stdin
  if (input instanceof Socket) input.unref()
  return started
}

function update(): void {
  guard?.stdin?.write(`${[...guarded].map(({ pid }) => pid).join(' ')}\n`)
}
