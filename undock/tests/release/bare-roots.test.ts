import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishRelease, type Registry } from './registry.ts'
import { type Try, writePage } from './strangers-page.ts'

// A release on minimal systems: Debian's essential packages and Node, without a compiler, git, curl or root. Needs mmdebstrap and
// root, and network namespaces for the system without a network.

const canMakeRoots = process.getuid?.() === 0 && spawnSync('mmdebstrap', ['--version']).status === 0

const onPath = (name: string): string[] =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .filter((path) => existsSync(path))
const versionOf = (node: string): string => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.slice(1)
const NPM = dirname(dirname(realpathSync(onPath('npm')[0] ?? '')))

/** The repository's Node, and an older one if the machine has it. */
const SYSTEMS = [
  { name: 'Debian 12 with Node 24', suite: 'bookworm', node: process.execPath },
  ...onPath('node')
    .filter((path) => Number.parseInt(versionOf(path), 10) < 22)
    .slice(0, 1)
    .map((node) => ({ name: `Debian 13 with Node ${Number.parseInt(versionOf(node), 10)}`, suite: 'trixie', node })),
]

/** Tests per system. A partial page would claim that the others weren't tried. */
const TESTS = 3

const PROJECT = {
  'supabase/config.toml': 'project_id = "bare"\n[edge_runtime]\nenabled = false\n',
  'supabase/migrations/20260101000000_notes.sql':
    "create extension vector with schema extensions; create table public.notes (body text primary key); insert into public.notes values ('kept');",
  'ask.js': `
    const { SUPABASE_URL, SUPABASE_SECRET_KEY: apikey } = process.env
    console.log(await (await fetch(SUPABASE_URL + '/rest/v1/notes', { headers: { apikey } })).text())`,
  'package.json': '{"private": true, "type": "module"}',
}

let registry: Registry
let roots: string
const tries: Try[] = []

beforeAll(async () => {
  if (!canMakeRoots) return
  registry = await publishRelease()
  roots = mkdtempSync(join(tmpdir(), 'bare-roots-'))
})
afterAll(async () => {
  if (roots) rmSync(roots, { recursive: true, force: true })
  if (tries.length === SYSTEMS.length * TESTS) writePage(tries)
  await registry?.stop()
})

describe.skipIf(!canMakeRoots).each(SYSTEMS)('$name', ({ name: system, suite, node }) => {
  const root = () => join(roots, suite)
  const home = () => join(root(), 'home/ada')
  const folder = 'Mein Büro'

  /** @param network Whether it has a network. @returns its output */
  const run = (command: string, { network = true, seconds = 300 } = {}): string => {
    const inside = [
      'chroot',
      '--userspec=ada:ada',
      root(),
      'env',
      '-i',
      'HOME=/home/ada',
      'PATH=/usr/local/bin:/usr/bin:/bin',
    ]
    const words = [
      ...inside,
      `npm_config_registry=${registry.url}`,
      'sh',
      '-c',
      `cd "/home/ada/${folder}" && ${command}`,
    ]
    const [program = '', ...rest] = network
      ? words
      : ['unshare', '-n', 'sh', '-c', 'ip link set lo up && exec "$@"', '-', ...words]
    const { status, stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8', timeout: seconds * 1_000 })
    expect(status, stdout + stderr).toBe(0)
    return stdout + stderr
  }

  beforeAll(() => {
    if (!existsSync(root())) execFileSync('mmdebstrap', ['--variant=minbase', suite, root()], { stdio: 'ignore' })
    for (const [path, from] of [
      ['usr/local/bin/node', node],
      ['usr/local/lib/node_modules/npm', NPM],
    ] as const)
      cpSync(from, join(root(), path), { recursive: true, dereference: true })
    for (const name of ['npm', 'npx'])
      writeFileSync(
        join(root(), 'usr/local/bin', name),
        `#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/${name}-cli.js "$@"\n`,
        { mode: 0o755 },
      )
    for (const [path, text] of Object.entries(PROJECT)) {
      const file = join(home(), folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    execFileSync('chroot', [root(), 'sh', '-c', 'useradd --shell /bin/sh ada; chown -R ada:ada /home/ada'])
    execFileSync('mount', ['-t', 'proc', 'proc', join(root(), 'proc')])
    execFileSync('mount', ['--rbind', '/dev', join(root(), 'dev')])
    // Otherwise, unmounting here would also affect the machine.
    execFileSync('mount', ['--make-rslave', join(root(), 'dev')])
  })
  afterAll(() => {
    for (const name of ['dev', 'proc']) spawnSync('umount', ['-l', join(root(), name)])
  })

  /** Runs a command that must print the row, and records its cost for the page.
   *  @param installed The folder whose size counts, as seen inside the root. */
  const tryOut = (what: string, command: string, installed: string, options = {}): void => {
    const began = performance.now()
    const said = run(command, options)
    const seconds = (performance.now() - began) / 1_000
    expect(said).toContain('[{"body":"kept"}]')
    const [bytes = ''] = execFileSync('du', ['-sb', join(root(), installed)], { encoding: 'utf8' }).split('\t')
    tries.push({
      system,
      what,
      command,
      seconds,
      bytes: Number(bytes),
      said: said.replaceAll(registry.url, 'REGISTRY/'),
    })
  }

  test('npx starts a backend for a command', () => {
    tryOut(
      'nothing cached, no scripts of packages',
      'npx --yes --ignore-scripts undock run -- node ask.js',
      'home/ada/.npm/_npx',
    )
  })

  test('an installed version works without a network', () => {
    run('npm install --ignore-scripts --save-dev undock')
    const installed = join('home/ada', folder, 'node_modules')
    tryOut('installed, then no network', 'npx undock run -- node ask.js', installed, { network: false })
  })

  test('works with a read-only home', () => {
    execFileSync('chmod', ['a-w', home()])
    const elsewhere = 'TMPDIR=/tmp UNDOCK_CACHE_DIR=/tmp/undock npm_config_cache=/tmp/npm'
    const installed = join('home/ada', folder, 'node_modules')
    tryOut('installed, a home that cannot be written', `${elsewhere} npx undock run -- node ask.js`, installed)
  })
})
