import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandOf, UNDOCK } from '../support/paths.ts'

const execute = promisify(execFile)
const INSTALLING = 300_000

// The environment of a user who installs the package into a project of `supabase init`: no workspace, no sources, and
// any Node that starts npm.
const NATIVE = join(UNDOCK, 'native')
/** Without a compiler there are no extensions that could be packed. */
const hasExtensions = spawnSync(process.execPath, [join(NATIVE, 'build.ts'), '--essential', '--check']).status === 0
const platform = `${process.platform}-${process.arch}`

let folder: string
let manifest: string
const inProject = (command: string, ...args: readonly string[]) => execute(command, args, { cwd: folder })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-package-'))
  // As a user's folder: the server runs as another user where undock runs as root.
  await chmod(folder, 0o755)
  manifest = await readFile(join(UNDOCK, 'package.json'), 'utf8')
  const packed = join(folder, 'packed')
  await mkdir(packed)
  const pack = (cwd: string, env = process.env) =>
    execute('npm', ['pack', '--silent', '--pack-destination', packed], { cwd, env })
  if (hasExtensions) {
    const extensions = join(folder, 'extensions')
    await execute(process.execPath, [join(NATIVE, 'package.ts'), extensions])
    await pack(extensions)
    // As a release for this platform alone.
    await pack(UNDOCK, { ...process.env, UNDOCK_EXTENSION_PLATFORMS: platform })
  } else await pack(UNDOCK)
  const tarballs = (await readdir(packed)).map((name) => join(packed, name))
  await inProject(commandOf('supabase'), 'init', '--yes')
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await inProject('npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs)
}, INSTALLING)
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the installed command starts a backend for a new project', async () => {
  const script = `
    const { SUPABASE_URL, SUPABASE_SECRET_KEY: apikey } = process.env
    const answers = await Promise.all(['/rest/v1/', '/auth/v1/settings', '/storage/v1/bucket'].map((path) =>
      fetch(SUPABASE_URL + path, { headers: { apikey } })))
    console.log(JSON.stringify(answers.map(({ status }) => status)))`
  await writeFile(join(folder, 'ask.js'), script)
  const undock = join(folder, 'node_modules/.bin/undock')
  const { stdout } = await inProject(undock, 'run', '--', process.execPath, 'ask.js')
  expect(JSON.parse(stdout)).toEqual([200, 200, 200])
})

test('the installed library starts a stack', async () => {
  const script = `
    import { startStack } from 'undock'
    const stack = await startStack({ workdir: '.', ports: 'free', state: 'memory' })
    console.log(stack.url)
    await stack.stop()`
  await writeFile(join(folder, 'library.js'), script)
  const { stdout } = await inProject(process.execPath, 'library.js')
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/m)
})

test.runIf(hasExtensions)(
  'the native engine has the extensions of the package for this platform',
  async () => {
    const manifest = JSON.parse(await readFile(join(folder, 'node_modules/undock/package.json'), 'utf8'))
    expect(manifest.optionalDependencies).toEqual({ [`@undock/pg-extensions-${platform}`]: manifest.version })
    // The library in it lets `postgres` create an event trigger.
    const script = `
    import pg from 'pg'
    const client = new pg.Client(process.env.SUPABASE_DB_URL)
    await client.connect()
    await client.query('create extension vector with schema extensions')
    await client.query("create function note() returns event_trigger language plpgsql as 'begin end'")
    await client.query('create event trigger notes on ddl_command_end execute function note()')
    const { rows } = await client.query("select '[3,4]'::extensions.vector <-> '[0,0]' as distance")
    console.log(rows[0].distance)
    await client.end()`
    await writeFile(join(folder, 'extensions.js'), script)
    // Nothing that was compiled on this machine.
    const env = { ...process.env, UNDOCK_CACHE_DIR: join(folder, 'cache'), UNDOCK_ENGINE: 'native' }
    const undock = join(folder, 'node_modules/.bin/undock')
    const { stdout } = await execute(undock, ['run', '--', process.execPath, 'extensions.js'], { cwd: folder, env })
    expect(stdout.trim()).toBe('5')
  },
  60_000,
)

test('packing leaves the repository unchanged', async () => {
  expect(await readFile(join(UNDOCK, 'package.json'), 'utf8')).toBe(manifest)
  expect(await readdir('undock')).not.toEqual(expect.arrayContaining(['dist']))
})
