import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { COMMAND } from './paths.ts'
import type { TestProject } from './project.ts'

export type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string }

const running = new Set<ChildProcess>()

/** Ends processes left by a failed test. */
export async function endRunning(): Promise<void> {
  for (const child of running) await end(child, 'SIGKILL')
}

/** Runs an undock command and waits for its exit. */
export async function undock(project: TestProject, ...args: readonly string[]): Promise<CommandResult> {
  return outcomeOf(launch(project, args))
}

export async function outcomeOf(child: ChildProcess): Promise<CommandResult> {
  const output = collect(child)
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code: code ?? -1, ...(await output) }
}

/** The same without root's permissions, even if the test runs as root. @returns null if that isn't possible */
export async function undockUnprivileged(
  project: TestProject,
  ...args: readonly string[]
): Promise<CommandResult | null> {
  if (process.getuid?.() !== 0) return undock(project, ...args)
  const as = ['unshare', '--user', '--map-user=1000', '--map-group=1000'] as const
  if (spawnSync(as[0], [...as.slice(1), 'true']).status !== 0) return null
  return outcomeOf(launch(project, args, [], as))
}

/** Runs `undock start` in the foreground until it reports that it is ready.
 *  @param flags Options of the command.
 *  @param nodeOptions Node options, such as `--inspect`. */
export async function startUndock(
  project: TestProject,
  flags: readonly string[] = [],
  nodeOptions: readonly string[] = [],
): Promise<ChildProcess> {
  const child = launch(project, ['start', ...flags], nodeOptions)
  await untilSaid(child, 'Ready in')
  return child
}

/** Waits for a text on a command's standard error. */
export function untilSaid(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let told = ''
    child.stderr?.on('data', (chunk) => {
      told += chunk
      if (told.includes(words)) resolve()
    })
    child.once('exit', (code) => reject(new Error(`undock exited with code ${code}: ${told}`)))
  })
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

/** Starts an undock command. @param input Its standard input. */
export function launch(
  { folder, ports }: Pick<TestProject, 'folder' | 'ports'>,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
  as: readonly string[] = [],
  input?: string,
): ChildProcess {
  const [program, ...words] = [...as, process.execPath, ...nodeOptions, COMMAND, ...args] as [string, ...string[]]
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, ...ports },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

async function collect(child: ChildProcess): Promise<Omit<CommandResult, 'code'>> {
  const read = async (stream: ChildProcess['stdout']): Promise<string> => {
    let text = ''
    for await (const chunk of stream ?? []) text += chunk
    return text
  }
  const [stdout, stderr] = await Promise.all([read(child.stdout), read(child.stderr)])
  return { stdout, stderr }
}
