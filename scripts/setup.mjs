// Runs before `npm start` and `npm test`, on any Node from 20: installs packages, a newer Node if this one can't run
// TypeScript, compiles extensions for the native Postgres if possible, and builds the console. With --tests also
// installs devDependencies (two fifths of all packages) and Chromium. Does nothing if everything is up to date.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newerNode } from '../undock/bin/node-version.js'
import { buildStamp } from './build-stamp.mjs'
import { findChromium } from './chromium.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const forTests = process.argv.includes('--tests')

/** Unused parts of packages, 120 MB, such as legacy builds, source maps and Tesseract's larger data. */
const UNUSED = [
  ['.', /^ioredis$/],
  ['@redis', /^client$/],
  ['@napi-rs', /^canvas/],
  ['pdfjs-dist', /^legacy$/],
  ['pdfjs-dist/build', /\.map$/],
  ['docx/dist', /\.(?:c[jt]s|(?:iife|umd)\.c?js)$/],
  ['lucide-react/dist/esm/icons', /\.map$/],
  ['tesseract.js-core', /^tesseract-core(?!.*-lstm\.wasm\.js$)/],
  ['@tesseract.js-data/eng', /^4\.0\.0$/],
  ['@tesseract.js-data/deu', /^4\.0\.0$/],
]

const major = Number(process.versions.node.split('.', 1)[0])
if (major < 20) fail(`Node ${process.version} is too old to install the packages. Install Node 20 or newer.`)

installPackages()
// A Node installed next to the packages, which may run this script, was deleted with them.
const node = major < 24 || !existsSync(process.execPath) ? installNode() : process.execPath
compileExtensions()
buildConsole()
if (forTests) installBrowser()

function installPackages() {
  const extents = forTests ? ['all'] : ['run', 'all']
  if (extents.some((extent) => isKept(`packages-${extent}`)) && existsSync(`${root}node_modules/.bin`)) return
  say(
    `Installing the packages that package-lock.json names${forTests ? '' : ', without those of the tests'} (npm ci) …`,
  )
  run('npm', ['ci', ...(forTests ? [] : ['--omit=dev']), '--no-audit', '--no-fund', '--loglevel=error'])
  for (const [folder, names] of UNUSED) removeFrom(`${root}node_modules/${folder}`, names)
  keep(`packages-${extents[0]}`)
}

function removeFrom(folder, names) {
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (names.test(name)) rmSync(join(folder, name), { recursive: true })
}

/** @returns the path of a Node that runs the scripts, also as npm's `node`. */
function installNode() {
  const isWindows = process.platform === 'win32'
  const command = `${root}node_modules/.bin/node${isWindows ? '.cmd' : ''}`
  if (existsSync(command)) return command
  const { name, version, program } = newerNode()
  const folder = `${root}node_modules/.cache/node`
  say(`Installing Node ${version} next to the packages, because Node 24 runs the scripts …`)
  run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`])
  const installed = join(folder, 'node_modules', name)
  removeFrom(installed, /^(?:include|share)$/)
  if (isWindows) writeFileSync(command, `@"${join(installed, program)}" %*\r\n`)
  else symlinkSync(relative(dirname(command), join(installed, program)), command)
  return command
}

/** Without them, undock uses PGlite for projects that need one, because that has it. */
function compileExtensions() {
  if (process.platform === 'win32' || !(isProgram('make') && isProgram(process.env.CC ?? 'cc'))) return
  const build = [`${root}undock/native/build.ts`, '--essential', '--if-missing']
  if (spawnSync(node, [...build, '--check']).status === 0) return
  if (isKept('native-failed')) return
  say('Compiling extensions for the native Postgres, once on this machine …')
  const { status, stderr } = spawnSync(node, build, { encoding: 'utf8' })
  if (status === 0) return
  say(`They could not be compiled, so projects that need vector use PGlite. ${stderr.trim()}`)
  keep('native-failed')
}

/** The console's client, which the backend serves. */
function buildConsole() {
  const folder = `${root}undock/console`
  const stamp = buildStamp(`${folder}/dist`, { root, paths: ['undock/console', 'package-lock.json'] })
  if (stamp.isFresh) return
  say('Building the console …')
  run(node, [`${root}node_modules/vite/bin/vite.js`, 'build', folder, '--logLevel', 'warn'])
  stamp.keep()
}

function isProgram(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)))
}

/** The stamp of a step's result, valid until other packages are installed. */
function stampOf(name) {
  return `${root}node_modules/.cache/setup/${name}.sha256`
}

function isKept(name) {
  return existsSync(stampOf(name)) && readFileSync(stampOf(name), 'utf8') === lockHash()
}

function keep(name) {
  mkdirSync(dirname(stampOf(name)), { recursive: true })
  writeFileSync(stampOf(name), lockHash())
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex')
}

function installBrowser() {
  if (findChromium()) return
  say('No Chromium found; asking Playwright for one …')
  if (attempt('npx', ['playwright', 'install', '--only-shell', 'chromium']) && findChromium()) return
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    say('That did not work; installing chromium-headless-shell with apt …')
    run('apt-get', ['update', '-qq'])
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium-headless-shell'])
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
