// `node undock/scripts/publish.ts --into FOLDER`: packs what a release consists of, and checks it: undock, create-undock,
// vite-plugin-undock, and a list of what is in undock (SBOM, CycloneDX). `--postgres FOLDER` names the packages of PostgreSQL, which
// native/package.ts has made, one for each platform. `--publish` sends all of it to npm: `stage` for a person's approval, as the
// workflow of a release does (docs/release-workflow.yml), `direct` to your own registry.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { z } from 'zod'

const UNDOCK = fileURLToPath(new URL('..', import.meta.url))
const USAGE = 'node undock/scripts/publish.ts --into FOLDER [--postgres FOLDER] [--publish stage|direct]'

/** Bytes of a packed file at most. */
const BUDGETS: Readonly<Record<string, number>> = {
  undock: 5_500_000,
  'create-undock': 10_000,
  'vite-plugin-undock': 10_000,
}

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  scripts: z.record(z.string(), z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
})
type Packed = { readonly path: string; readonly manifest: z.infer<typeof Manifest> }

const { values } = parseArgs({
  options: {
    into: { type: 'string' },
    postgres: { type: 'string' },
    publish: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help || !values.into) stop(USAGE, values.help ? 0 : 2)
if (values.publish !== undefined && !['stage', 'direct'].includes(values.publish)) stop(USAGE, 2)
const into = resolve(values.into ?? '.')
mkdirSync(into, { recursive: true })

const servers = tarballsIn(values.postgres).map(open)
const platforms = servers.flatMap(({ manifest }) => /^@undock\/postgres-17-(.+)$/.exec(manifest.name)?.[1] ?? [])
const own = [
  pack(UNDOCK, { UNDOCK_PLATFORMS: platforms.join(' ') }),
  ...['vite-plugin-undock', 'create-undock'].map((name) => pack(join(UNDOCK, 'packages', name))),
]
for (const one of own) check(one)
await load(own[0]?.path ?? '')
const versions = new Set([...servers, ...own].map(({ manifest }) => manifest.version))
if (versions.size !== 1) stop(`A release has one version, and these have ${[...versions].join(', ')}.`)

const [undock] = own
const components = npm(
  ['sbom', '--workspace', 'undock', '--omit', 'dev', '--package-lock-only', '--sbom-format', 'cyclonedx'],
  join(UNDOCK, '..'),
)
writeFileSync(join(into, `undock-${undock?.manifest.version}.cdx.json`), components)

// undock names the packages of PostgreSQL, and the others need undock, so they come in this order.
for (const { path } of values.publish ? [...servers, ...own] : []) {
  const command = values.publish === 'stage' ? ['stage', 'publish'] : ['publish']
  console.log(`npm ${command.join(' ')} ${basename(path)}`)
  npm([...command, '--access', 'public', path], into)
}

function tarballsIn(folder: string | undefined): string[] {
  if (folder === undefined) return []
  const found = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  if (found.length === 0) stop(`There is no package of PostgreSQL in ${folder}.`)
  return found.map((name) => resolve(folder, name))
}

function pack(folder: string, env: NodeJS.ProcessEnv = {}): Packed {
  const said = npm(['pack', '--json', '--pack-destination', into], folder, env)
  // What prepack prints comes before it.
  const [{ filename } = { filename: '' }] = z
    .array(z.object({ filename: z.string() }))
    .parse(JSON.parse(said.slice(said.search(/^\[/m))))
  return open(join(into, filename))
}

function open(path: string): Packed {
  const text = execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' })
  return { path, manifest: Manifest.parse(JSON.parse(text)) }
}

/** Refuses packages that must not be published. */
function check({ path, manifest: { name, scripts, dependencies, devDependencies } }: Packed): void {
  const files = execFileSync('tar', ['-tzf', path], { encoding: 'utf8' }).trim().split('\n')
  const { size } = statSync(path)
  const budget = BUDGETS[name] ?? 0
  const faults = [
    ...(size > budget ? [`${size} bytes, of which ${budget} are allowed`] : []),
    ...(scripts ? [`scripts that npm would run: ${Object.keys(scripts).join(', ')}`] : []),
    ...(devDependencies ? ['packages that only its makers need'] : []),
    ...Object.entries(dependencies ?? {}).flatMap(([one, range]) =>
      /^(?:file|link|workspace):/.test(range) ? [`${one}@${range}`] : [],
    ),
    ...files.filter((file) =>
      /\.(?:test|spec)\.|(?<!\.d)\.tsx?$|[/\\](?:testing|tests|node_modules)[/\\]|\.env$/.test(file),
    ),
    ...['README.md', ...(name === 'undock' ? ['LICENSE', 'dist/LICENSES.txt', 'console/dist/index.html'] : [])]
      .filter((file) => !files.includes(`package/${file}`))
      .map((file) => `no ${file}`),
    ...placesIn(path),
  ]
  if (faults.length > 0)
    stop(`${basename(path)} has what it must not have:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  console.log(`${basename(path)}: ${size} bytes in ${files.length} files`)
}

/** Loads each module of the packed command, because a bundle may lack what one requires at run time. */
async function load(path: string): Promise<void> {
  const folder = join(UNDOCK, '../node_modules/.cache/packed-undock')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', path, '-C', folder])
  const chunks = join(folder, 'package/dist/chunks')
  for (const name of readdirSync(chunks).filter((name) => /^(?!worker).*\.js$/.test(name))) {
    await import(pathToFileURL(join(chunks, name)).href).catch((error: unknown) =>
      stop(`${name} can't be loaded: ${error}`),
    )
  }
}

/** Folders of the machine that packed it. */
function placesIn(path: string): string[] {
  const text = execFileSync('tar', ['-xzOf', path], { encoding: 'latin1', maxBuffer: 2 ** 28 })
  const folder = resolve(UNDOCK, '..')
  return text.includes(`${folder}/`) ? [`the path ${folder}`] : []
}

function npm(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  return execFileSync('npm', words, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  })
}

function stop(message: string, code = 1): never {
  console.error(message)
  process.exit(code)
}
