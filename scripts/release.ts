// `npm run release -- 0.2.0`: sets all versions, closes "Unreleased" in CHANGELOG.md, commits and tags.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(process.env.RELEASE_ROOT ?? join(import.meta.dirname, '..'))
const USAGE = `npm run release -- VERSION      VERSION like 0.2.0, newer than the current one

Run it on main, with nothing uncommitted, after npm test and npm run test:nightly.`
const PACKAGES = ['', 'undock', 'undock/packages/create-undock', 'undock/packages/vite-plugin-undock']
const VERSION = /^(\d+)\.(\d+)\.(\d+)$/

const [version = ''] = process.argv.slice(2)
if (version === '--help') {
  console.log(USAGE)
  process.exit(0)
}
if (!VERSION.test(version)) stop(USAGE)
const { version: current } = readJson('package.json') as { version: string }
if (!isNewer(version, current)) stop(`${version} is not newer than ${current}.`)
if (git('branch', '--show-current') !== 'main') stop('A release is made on the branch main.')
if (git('status', '--porcelain') !== '') stop('There are uncommitted changes. Commit or stash them first.')

const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
const [, unreleased = ''] = /^## Unreleased\n(.*?)(?=^## |(?![\s\S]))/ms.exec(changelog) ?? []
if (unreleased.trim() === '') stop('CHANGELOG.md has nothing under "Unreleased".')
const date = new Date().toISOString().slice(0, 10)
writeFileSync(
  join(ROOT, 'CHANGELOG.md'),
  changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${date})\n`),
)
for (const folder of PACKAGES) {
  const file = join(folder, 'package.json')
  writeJson(file, { ...readJson(file), version })
}
const lockfile = readJson('package-lock.json') as { packages: Record<string, object> }
for (const name of ['', 'undock']) lockfile.packages[name] = { ...lockfile.packages[name], version }
writeJson('package-lock.json', { ...lockfile, version })

git('commit', '--all', '--quiet', '--message', `chore(release): v${version}`)
git('tag', '--annotate', `v${version}`, '--message', `v${version}\n${unreleased.trimEnd()}`)
console.log(
  `Version ${version} is committed and tagged as v${version}. Next: git push --follow-tags; docs/release-workflow.yml publishes it`,
)

function isNewer(next: string, before: string): boolean {
  return next.localeCompare(before, 'en', { numeric: true }) > 0
}

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
}

function writeJson(file: string, value: object): void {
  writeFileSync(join(ROOT, file), `${JSON.stringify(value, null, 2)}\n`)
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
}

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}
