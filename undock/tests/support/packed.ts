import { type ChildProcess, type ExecFileOptions, execFile, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { commandOf, UNDOCK } from './paths.ts'

const execute = promisify(execFile)

/** A new user's project: only the packed package is installed, with an empty home, npm cache and undock cache. */
export type PackedProject = {
  readonly folder: string
  /** Runs a program in the project without throwing if it fails. @param env Additional variables. */
  run(command: string, args?: readonly string[], env?: Record<string, string>): Promise<Ended>
  /** Runs the project's own `undock`. */
  undock(...args: readonly string[]): Promise<Ended>
  /** Starts it, for commands that don't exit by themselves. */
  launch(...args: readonly string[]): ChildProcess
  write(files: Readonly<Record<string, string>>): Promise<void>
  remove(): Promise<void>
}

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type PackedOptions = {
  /** Additional npm packages of the project. */
  readonly packages?: readonly string[]
  /** Also packs the PostgreSQL package for this platform, like a release. Needs the compiled essential extensions. */
  readonly withPostgres?: boolean
}

/** Packs undock and installs it without install scripts. */
export async function packedProject({
  packages = [],
  withPostgres = false,
}: PackedOptions = {}): Promise<PackedProject> {
  const root = await mkdtemp(join(tmpdir(), 'undock-packed-'))
  // As root, undock runs the server as another user.
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

/** This machine's npm registry, which an empty home doesn't configure. */
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
