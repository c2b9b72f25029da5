import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'

/** Kills the processes of the last line it read when its input ends, which it does however this process dies. */
const SCRIPT = `while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids 2>/dev/null`

const guarded = new Set<ChildProcess>()
let guard: ChildProcess | undefined

/** Ends `child` when this process is killed: a child in an endless loop can't notice that by itself. On Windows, which has no shell for
 *  this, such a child stays. */
export function guardAgainstOrphan(child: ChildProcess): void {
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
