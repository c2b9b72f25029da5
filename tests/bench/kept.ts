import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { ended } from '../../undock/bench/peers.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const UNDOCK = `${ROOT}undock/bin/undock.js`
const KEPT = fileURLToPath(new URL('./.undock/', import.meta.url))
const MIGRATIONS = `${ROOT}supabase/migrations/`

const Status = z.object({
  API_URL: z.string(),
  DB_URL: z.string(),
  PUBLISHABLE_KEY: z.string(),
  SECRET_KEY: z.string(),
})

/** Runs a script on a Carrel backend with data on disk, like `npm start`, and parses its last line as JSON. The folder
 *  is kept per set of migrations, because inserting the data takes minutes. */
export async function runOnKept<Figures>(name: string, script: string, words: readonly string[]): Promise<Figures> {
  const folder = `${KEPT}${name}-${versionOfMigrations()}`
  for (const part of ['config.toml', 'seed.sql', 'migrations', 'templates'])
    cpSync(`${ROOT}supabase/${part}`, `${folder}/supabase/${part}`, { recursive: true })
  undock('start', '--detach', '--ports', 'free', '--exclude', 'storage,realtime,functions,mail', '--workdir', folder)
  try {
    const status = Status.parse(JSON.parse(undock('status', '-o', 'json', '--workdir', folder)))
    const child = spawn(process.execPath, [script, ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        SUPABASE_URL: status.API_URL,
        SUPABASE_DB_URL: status.DB_URL,
        SUPABASE_PUBLISHABLE_KEY: status.PUBLISHABLE_KEY,
        SUPABASE_SECRET_KEY: status.SECRET_KEY,
      },
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    if ((await ended(child)) !== 0) throw new Error(`${script} could not be measured`)
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Figures
  } finally {
    undock('stop', '--workdir', folder)
  }
}

function versionOfMigrations(): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(MIGRATIONS + name))
  return hash.digest('hex').slice(0, 12)
}

function undock(...words: string[]): string {
  const { status, stdout } = spawnSync(process.execPath, [UNDOCK, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // Building an index over many rows takes longer than the statement timeout.
    env: { ...process.env, UNDOCK_LIMITS_STATEMENT_TIMEOUT: '0' },
  })
  if (status !== 0) throw new Error(`undock ${words[0]} failed`)
  return stdout
}
