// Runs before `npm start` and `npm test`, on any Node that started npm (20 or newer), before anything is installed:
// installs the packages, and with --browser a Chromium, and reports each step. When all is installed, it ends at once.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = `${root}node_modules/.cache/setup/package-lock.sha256`

const major = Number(process.versions.node.split('.', 1)[0])
if (major < 20) fail(`Node ${process.version} is too old to install the packages. Install Node 20 or newer.`)

installPackages()
if (process.argv.includes('--browser')) installBrowser()

function installPackages() {
  const present = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  if (present === lockHash() && existsSync(`${root}node_modules/.bin`)) return
  say('Installing the packages that package-lock.json names (npm ci) …')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, lockHash())
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex')
}

function installBrowser() {
  if (findChromium()) return
  say('No Chromium found; asking Playwright for one …')
  if (attempt('npx', ['playwright', 'install', 'chromium']) && findChromium()) return
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    say('That did not work; installing the package chromium with apt …')
    run('apt-get', ['update', '-qq'])
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'])
    if (findChromium()) return
  }
  fail('The browser tests need Chromium. Install it, or set CHROMIUM_PATH to where it is.')
}

function attempt(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }).status === 0
}

function run(command, args) {
  if (!attempt(command, args)) fail(`\`${command} ${args.join(' ')}\` failed; its output above says why.`)
}

function say(text) {
  console.log(`setup: ${text}`)
}

function fail(text) {
  console.error(`setup: ${text}`)
  process.exit(1)
}
