import { type ChildProcess, spawn } from 'node:child_process'
import { access, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { COMMAND } from './paths.ts'
import type { TestProject } from './project.ts'

/** Starts the stack where it may mount a small file system, and remounts it on request. The mounting process is root in its
 *  namespace; the stack runs as an ordinary user in a nested one, as Postgres requires. */
const SCRIPT = `
mount -t tmpfs -o "size=$SIZE,mode=0777" tmpfs "$FILES" || exit 9
unshare --user --map-user=1000 --map-group=1000 "$NODE" "$BIN" start &
while kill -0 $! 2>/dev/null; do
  [ -e "$FLAG" ] && mount -o "remount,$(cat "$FLAG")" "$FILES" && rm "$FLAG"
  sleep 0.1
done`

/** Runs `undock start` with a part of its state on a separate file system.
 *  @param part A folder in `supabase/.undock`.
 *  @param size A mount option for tmpfs: `6m`.
 *  @returns null if no file system can be mounted */
export async function startOnSmallDisk(stack: TestProject, part: string, size: string): Promise<ChildProcess | null> {
  await stack.write(`.undock/${part}/.keep`, '')
  const child = spawn(
    'unshare',
    ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', SCRIPT],
    {
      cwd: stack.folder,
      env: {
        ...process.env,
        ...stack.ports,
        FILES: join(stack.folder, 'supabase', '.undock', part),
        SIZE: size,
        FLAG: flagOf(stack),
        // Root's cache contains the native engine's files, whose owner doesn't exist in this namespace.
        UNDOCK_CACHE_DIR: join(stack.folder, 'cache'),
        BIN: COMMAND,
        NODE: process.execPath,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let told = ''
  return new Promise((resolve, reject) => {
    child.once('error', () => resolve(null))
    child.stderr?.on('data', (chunk) => {
      told += chunk
      if (told.includes('Ready in')) resolve(child)
    })
    // Without namespaces, a small disk can't be mounted either.
    child.once('exit', (code) => (code === 9 || told.startsWith('unshare') ? resolve(null) : reject(new Error(told))))
  })
}

/** Remounts the small disk and waits until that is done. @param options Mount options: `ro`, `size=20m`. */
export async function remount(stack: TestProject, options: string): Promise<void> {
  const flag = flagOf(stack)
  await writeFile(`${flag}.new`, options)
  await rename(`${flag}.new`, flag)
  const isTaken = () =>
    access(flag).then(
      () => false,
      () => true,
    )
  await expect.poll(isTaken, { timeout: 60_000 }).toBe(true)
}

const flagOf = ({ folder }: TestProject): string => join(folder, 'remount')
