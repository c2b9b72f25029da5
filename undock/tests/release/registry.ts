import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { UNDOCK } from '../support/paths.ts'
import { freePort } from '../support/project.ts'

const execute = promisify(execFile)
const VERDACCIO = join(import.meta.dirname, 'node_modules/verdaccio/bin/verdaccio')

/** A local registry with a release, which forwards everything else to npm's configured registry. */
export type Registry = {
  readonly url: string
  /** An empty folder for a new user: no cache, home or settings except this registry's URL. @param name The last part of its path. */
  stranger(name?: string): Promise<Stranger>
  /** Publishes undock's packed file again as another version. */
  publishAs(version: string): Promise<void>
  stop(): Promise<void>
}

export type Stranger = {
  readonly folder: string
  readonly home: string
  /** The environment of everything that runs there. */
  readonly env: Readonly<Record<string, string>>
  /** Runs a program there without throwing if it fails. @returns its output in the order of lines */
  run(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** Deletes everything: a framework's project takes up to a gigabyte. */
  leave(): Promise<void>
}
type Ended = { readonly code: number | null; readonly said: string; readonly seconds: number }

/** Publishes what `undock/scripts/publish.ts` packs, with PostgreSQL for this platform, to a new registry. */
export async function publishRelease(): Promise<Registry> {
  const root = await mkdtemp(join(tmpdir(), 'undock-release-'))
  // As root, undock runs the server as another user.
  await chmod(root, 0o755)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const { stdout: upstream } = await execute('npm', ['config', 'get', 'registry'], { cwd: root })
  await writeFile(join(root, 'verdaccio.yaml'), settings(root, upstream.trim()))
  const npmrc = `registry=${url}\n//127.0.0.1:${port}/:_authToken=none\naudit=false\nfund=false\nupdate-notifier=false\n`
  await writeFile(join(root, 'npmrc'), npmrc)
  const server = spawn(
    process.execPath,
    [VERDACCIO, '--config', join(root, 'verdaccio.yaml'), '--listen', `127.0.0.1:${port}`],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const exit = once(server, 'exit')
  while (server.exitCode === null && !(await fetch(url).catch(() => null)))
    await new Promise((resolve) => setTimeout(resolve, 100))

  const publisher = { ...process.env, npm_config_userconfig: join(root, 'npmrc'), npm_config_registry: url }
  const publish = async (...words: string[]) => {
    await execute(process.execPath, words, { cwd: root, env: publisher, maxBuffer: 2 ** 26 })
  }
  const stop = async () => {
    server.kill('SIGTERM')
    await exit
    await rm(root, { recursive: true, force: true })
  }
  const packed = join(root, 'packed')
  try {
    await publishAll()
  } catch (error) {
    await stop()
    throw error
  }

  async function publishAll(): Promise<void> {
    await publish(join(UNDOCK, 'native/package.ts'), join(root, 'postgres'))
    await mkdir(join(root, 'servers'))
    await execute('npm', ['pack', '--silent', '--pack-destination', join(root, 'servers'), join(root, 'postgres')])
    const script = join(UNDOCK, 'scripts/publish.ts')
    await publish(script, '--into', packed, '--postgres', join(root, 'servers'), '--publish', 'direct')
  }

  return {
    url,
    async stranger(name = 'project') {
      const place = await mkdtemp(join(root, 'stranger-'))
      await chmod(place, 0o755)
      const [folder, home] = [join(place, name), join(place, 'home')]
      for (const path of [folder, home]) await mkdir(path)
      const env = {
        PATH: [dirname(process.execPath), process.env.PATH].join(':'),
        HOME: home,
        npm_config_registry: url,
        npm_config_audit: 'false',
        npm_config_update_notifier: 'false',
      }
      return {
        folder,
        home,
        env,
        run: (command, args, own = {}) => ended(command, args, folder, { ...env, ...own }),
        async write(files) {
          for (const [path, text] of Object.entries(files)) {
            await mkdir(dirname(join(folder, path)), { recursive: true })
            await writeFile(join(folder, path), text)
          }
        },
        leave: () => rm(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
      }
    },
    async publishAs(version) {
      const [file = ''] = (await readdir(packed)).filter((name) => /^undock-\d.*\.tgz$/.test(name))
      const again = await mkdtemp(join(root, 'again-'))
      await execute('tar', ['-xzf', join(packed, file), '-C', again])
      const manifest = join(again, 'package', 'package.json')
      await writeFile(manifest, JSON.stringify({ ...JSON.parse(await readFile(manifest, 'utf8')), version }))
      await execute('npm', ['publish'], { cwd: join(again, 'package'), env: publisher })
    },
    stop,
  }
}

const settings = (root: string, upstream: string): string => `
storage: ${root}/storage
web: { enable: false }
max_body_size: 200mb
uplinks:
  upstream: { url: "${upstream}" }
packages:
  "undock": { access: $all, publish: $all }
  "@undock/*": { access: $all, publish: $all }
  "create-undock": { access: $all, publish: $all }
  "vite-plugin-undock": { access: $all, publish: $all }
  "**": { access: $all, proxy: upstream }
log: { type: stdout, format: pretty, level: error }
`

function ended(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const began = performance.now()
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => (said += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve({ code, said, seconds: (performance.now() - began) / 1_000 }))
  })
}
