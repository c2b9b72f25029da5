import { type ChildProcess, type ExecFileOptions, execFile, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { commandOf, UNDOCK } from './paths.ts'

const execute = promisify(execFile)

/** A new project of somebody who has never used undock: the packed package is installed, and nothing else of this machine helps.
 *  Home is empty, and so are npm's cache and undock's. */
export type PackedProject = {
  readonly folder: string
  /** Runs a program in the project. It does not throw when the program fails.
   *  @param env Variables beside those that every program gets. */
  run(command: string, args?: readonly string[], env?: Record<string, string>): Promise<Ended>
  /** Runs the project's own `undock`. */
  undock(...args: readonly string[]): Promise<Ended>
  /** Starts it, for commands that do not end by themselves. */
  launch(...args: readonly string[]): ChildProcess
  write(files: Readonly<Record<string, string>>): Promise<void>
  remove(): Promise<void>
}

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type PackedOptions = {
  /** Further npm packages of the project. */
  readonly packages?: readonly string[]
  /** Packs the package of PostgreSQL for this platform, too, as a release for this platform alone has it. It needs the essential
   *  extensions, compiled. */
  readonly withPostgres?: boolean
}

/** Packs undock, and installs it without running any script of a package. */
export async function packedProject({
  packages = [],
  withPostgres = false,
}: PackedOptions = {}): Promise<PackedProject> {
  const root = await mkdtemp(join(tmpdir(), 'undock-packed-'))
  // The server runs as another user where undock runs as root.
  await chmod(root, 0o755)
  const [folder, home, packed] = ['project', 'home', 'packed'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [folder, home, packed]) await mkdir(path)
  const pack = (cwd: string, env = {}) =>
    execute('npm', ['pack', '--silent', '--pack-destination', packed], { cwd, env: { ...process.env, ...env } })
  if (withPostgres) {
    await execute(process.execPath, [join(UNDOCK, 'native/package.ts'), join(root, 'postgres')])
    await pack(join(root, 'postgres'))
    await pack(UNDOCK, { UNDOCK_PLATFORMS: `${process.platform}-${process.arch}` })
  } else await pack(UNDOCK)
  const tarballs = (await readdir(packed)).map((name) => join(packed, name))
  const own = join(folder, 'node_modules/.bin/undock')
  const options = (env: Record<string, string> = {}) => ({
    cwd: folder,
    env: {
      PATH: [dirname(process.execPath), process.env.PATH].join(':'),
      HOME: home,
      npm_config_cache: join(home, 'npm'),
      ...registry(),
      ...env,
    },
  })
  const project: PackedProject = {
    folder,
    run: (command, args = [], env = {}) => ended(command, args, options(env)),
    undock: (...args) => project.run(own, args),
    launch: (...args) => spawn(own, args, options()),
    async write(files) {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text)
      }
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
  await project.write({ 'package.json': JSON.stringify({ private: true, type: 'module' }) })
  await execute(commandOf('supabase'), ['init', '--yes'], { cwd: folder })
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await execute('npm', ['install', ...flags, ...tarballs, ...packages], { cwd: folder })
  return project
}

/** Where this machine's npm finds packages: a bare home does not name it. */
const registry = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = '']) =>
      /^npm_config_registry$|^(?:https?|no)_proxy$|^NODE_EXTRA_CA_CERTS$|^SSL_CERT_FILE$/i.test(name)
        ? [[name, value]]
        : [],
    ),
  )

async function ended(command: string, args: readonly string[], options: ExecFileOptions): Promise<Ended> {
  const { promise, resolve: end } = Promise.withResolvers<Ended>()
  const child = execFile(command, args, { ...options, encoding: 'utf8', maxBuffer: 2 ** 24 }, (_, stdout, stderr) =>
    end({ code: child.exitCode ?? -1, stdout, stderr }),
  )
  return promise
}
