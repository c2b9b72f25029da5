// `npm run lockfile`: completes package-lock.json with optional packages of other platforms, and with missing
// checksums. `npm ci` rejects a lockfile without the former and verifies nothing without the latter, and `npm install`
// omits packages that the registry doesn't have. The platform is derived from the package's name.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { ROOT } from './processes.ts'

type Entry = {
  version?: string
  integrity?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}
type Lock = { packages: Record<string, Entry> }

const FILE = `${ROOT}package-lock.json`
const SYSTEMS = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'windows',
]
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32']

const lock = JSON.parse(readFileSync(FILE, 'utf8')) as Lock
const added: string[] = []
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    // Packages that need these always pin a version.
    if (isThere(path, name) || !/^\d+\.\d+\.\d+/.test(version)) continue
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
    }
    added.push(`${name}@${version}`)
  }
}
const unknown: string[] = []
let checksums = 0
for (const [path, entry] of Object.entries(lock.packages)) {
  if (!path.includes('node_modules/') || entry.link || entry.integrity) continue
  const name = `${path.split('node_modules/').at(-1)}@${entry.version}`
  // In another folder, because npm would ask for the workspaces here.
  const parameters = ['view', name, 'dist.integrity', '--json']
  const { stdout } = spawnSync('npm', parameters, {
    cwd: tmpdir(),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  const [, checksum] = /^"(sha512-[A-Za-z0-9+/]+=*)"\s*$/.exec(stdout) ?? []
  if (checksum) {
    entry.integrity = checksum
    checksums += 1
  } else unknown.push(name)
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')))
const isChanged = added.length + checksums > 0
if (isChanged) writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`)
console.log(
  isChanged
    ? `Added ${added.length} packages of other platforms and ${checksums} checksums.`
    : 'package-lock.json is complete.',
)
if (unknown.length > 0) {
  console.error(`The registry has no checksum of ${unknown.join(', ')}.`)
  process.exitCode = 1
}

/** Whether Node would find the package from there: in the folder or a parent. */
function isThere(path: string, name: string): boolean {
  for (let from = path; ; from = from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/')))) {
    if (`${from === '' ? '' : `${from}/`}node_modules/${name}` in lock.packages) return true
    if (!from.includes('/node_modules/')) return `node_modules/${name}` in lock.packages
  }
}

function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/)
  const system = words.find((word) => SYSTEMS.includes(word))
  const processor = words.find((word) => PROCESSORS.includes(word))
  const libc = words.find((word) => word === 'musl' || word.startsWith('gnu') || word === 'glibc')
  return {
    ...(processor ? { cpu: [processor] } : {}),
    ...(system === 'linux' && libc ? { libc: [libc === 'musl' ? 'musl' : 'glibc'] } : {}),
    ...(system ? { os: [system === 'windows' ? 'win32' : system] } : {}),
  }
}
