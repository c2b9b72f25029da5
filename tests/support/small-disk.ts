import { type ChildProcess, spawn } from 'node:child_process'
import { access, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { TestProject } from './project.ts'

const BIN = fileURLToPath(new URL('../../undock/bin/undock.js', import.meta.url))

/** Starts the stack where it may mount a small file system, and mounts that anew when told. Who may mount is root there;
 *  the stack is an ordinary user in a name space within, as Postgres insists. */
const SCRIPT = `
mount -t tmpfs -o "size=$SIZE,mode=0777" tmpfs "$FILES" || exit 9
unshare --user --map-user=1000 --map-group=1000 "$NODE" "$BIN" start &
while kill -0 $! 2>/dev/null; do
  [ -e "$FLAG" ] && mount -o "remount,$(cat "$FLAG")" "$FILES" && rm "$FLAG"
  sleep 0.1
done`

/** `undock start` with a part of its state on a file system of its own.
 *  @param part Folder below `supabase/.undock`.
 *  @param size As mount's option for tmpfs: `6m`.
 *  @returns null where no file system can be mounted. */
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
        // What root keeps for the native engine belongs to a user that is none there.
        UNDOCK_CACHE_DIR: join(stack.folder, 'cache'),
        BIN,
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
    // Where no name spaces are to be had there is no small disk either.
    child.once('exit', (code) => (code === 9 || told.startsWith('unshare') ? resolve(null) : reject(new Error(told))))
  })
}

/** Changes the small disk, and waits until that is done.
 *  @param options As mount has them: `ro`, `size=20m`. */
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
