import { execFile, spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { type BackendOptions, UsageError } from '../arguments.ts'
import { withClient } from '../database-target.ts'
import { findDatabase } from '../running.ts'

const run = promisify(execFile)

/** `undock psql`: runs the best-matching installed psql on the backend's database.
 *  @param words psql's options and files. @returns psql's exit code. @throws {UsageError} if there is none. */
export async function psql(options: BackendOptions, words: readonly string[]): Promise<number> {
  const { url, close } = await findDatabase(options)
  try {
    const major = await withClient(url, async (client) => {
      const query = `select current_setting('server_version_num')::int / 10000 as major`
      return (await client.query<{ major: number }>(query)).rows[0]?.major ?? 0
    })
    const program = await findPsql(major)
    if (program.major < major && process.stderr.isTTY)
      console.error(
        `This psql is from PostgreSQL ${program.major}: its \\d may not support everything in ${major}. ${howToInstall(major)}`,
      )
    // psql handles Ctrl-C: it cancels the query.
    process.on('SIGINT', () => undefined)
    const child = spawn(program.path, [url, ...words], { stdio: 'inherit' })
    return await new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']))
    })
  } finally {
    await close()
  }
}

/** Where installers put the programs of several major versions, which may not be on the PATH. */
const PLACES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin'],
  darwin: [
    ...['/opt/homebrew/opt', '/usr/local/opt'].flatMap((folder) => [
      `${folder}/libpq/bin`,
      `${folder}/postgresql@*/bin`,
    ]),
    '/Applications/Postgres.app/Contents/Versions/*/bin',
  ],
  win32: ['C:/Program Files/PostgreSQL/*/bin'],
}

type Psql = { readonly path: string; readonly major: number }

/** The psql of this major version, else the nearest newer one, else the newest. */
async function findPsql(major: number): Promise<Psql> {
  const program = process.platform === 'win32' ? 'psql.exe' : 'psql'
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const known = (PLACES[process.platform] ?? []).flatMap((pattern) => globSync(pattern))
  const programs: Psql[] = []
  for (const folder of new Set([...known, ...folders])) {
    const path = join(folder, program)
    const version = await run(path, ['--version']).then(
      ({ stdout }) => /\d+/.exec(stdout)?.[0],
      () => undefined,
    )
    if (version !== undefined) programs.push({ path, major: Number(version) })
  }
  const [best] = programs.toSorted((a, b) => distance(a.major, major) - distance(b.major, major))
  if (best) return best
  throw new UsageError(`psql is not installed. ${howToInstall(major)}`)
}

/** A newer psql supports older servers. */
const distance = (client: number, server: number): number =>
  client >= server ? client - server : 100 + server - client

function howToInstall(major: number): string {
  if (process.platform === 'darwin') return 'Install it with `brew install libpq`.'
  if (process.platform === 'win32') return `Install it with \`winget install PostgreSQL.PostgreSQL.${major}\`.`
  return `Install it with \`apt-get install postgresql-client-${major}\` (Debian 13, Ubuntu 25.04), or from https://www.postgresql.org/download/.`
}
