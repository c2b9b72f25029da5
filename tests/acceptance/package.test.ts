import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const execute = promisify(execFile)
const INSTALLING = 300_000

// The environment of a user who installs the package into a project of `supabase init`: no workspace, no sources, and
// any Node that starts npm.
let folder: string
let manifest: string
const inProject = (command: string, ...args: readonly string[]) => execute(command, args, { cwd: folder })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-package-'))
  manifest = await readFile('undock/package.json', 'utf8')
  const packed = join(folder, 'packed')
  await mkdir(packed)
  await execute('npm', ['pack', '--workspace', 'undock', '--silent', '--pack-destination', packed])
  const [tarball = ''] = await readdir(packed)
  await inProject(resolve('node_modules/.bin/supabase'), 'init', '--yes')
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await inProject('npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', join(packed, tarball))
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

test('packing leaves the repository unchanged', async () => {
  expect(await readFile('undock/package.json', 'utf8')).toBe(manifest)
  expect(await readdir('undock')).not.toEqual(expect.arrayContaining(['dist']))
})
