// Checks that undock's folder works outside of the repository: a copy with only its manifest's packages passes lint,
// types and tests of the layers without a database, of the console, and one that starts a stack. The other tests run in
// the repository.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from './processes.ts'

const TESTS = [
  'src/kernel',
  'src/config',
  'src/identity',
  'src/gateway',
  'src/mcp/mcp.test.ts',
  'console/src',
  'src/test-kit/start-stack.test.ts',
]

type Manifest = {
  readonly bin?: string | Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}
const read = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const folder = mkdtempSync(join(tmpdir(), 'undock-alone-'))
try {
  copyFiles()
  linkPackages()
  for (const words of [
    ['run', 'lint'],
    ['run', 'typecheck'],
    ['test', '--', ...TESTS],
  ])
    execFileSync('npm', words, { cwd: folder, stdio: 'inherit' })
} finally {
  rmSync(folder, { recursive: true })
}

/** Copies the files that git has, or would add. */
function copyFiles(): void {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const files = execFileSync('git', words, { cwd: join(ROOT, 'undock'), encoding: 'utf8' })
  for (const file of files.split('\0').filter((name) => name && existsSync(join(ROOT, 'undock', name))))
    cpSync(join(ROOT, 'undock', file), join(folder, file))
}

/** Links packages and commands. Their dependencies resolve from their real location. */
function linkPackages(): void {
  const { dependencies, devDependencies } = read(folder)
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const places = ['undock/node_modules', 'node_modules'].map((place) => join(ROOT, place, name))
    const place = places.find(existsSync)
    if (!place) throw new Error(`${name} is not installed.`)
    link(place, join(folder, 'node_modules', name))
    const { bin = {} } = read(place)
    for (const [command, path] of Object.entries(typeof bin === 'string' ? { [name.replace(/.*\//, '')]: bin } : bin))
      link(join(place, path), join(folder, 'node_modules/.bin', command))
  }
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
