import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readVersions, recordMigrations } from '../../database/migrations/history.ts'
import { readMigrations } from '../../database/migrations/project-files.ts'
import { startable } from '../../platform/process.ts'
import { difference, type Rename, type Script } from '../../project-tools/schema-difference.ts'
import { type BackendOptions, findWorkdir, splitNames, UsageError } from '../arguments.ts'
import { ask, type DatabaseTarget, requireConsent, withClient } from '../database-target.ts'
import { findDatabase, withShadow } from '../running.ts'
import { findOwnCli } from '../supabase/cli.ts'
import { writeMigrations } from './migration.ts'

type DbDiffOptions = BackendOptions & {
  readonly dbUrl?: string
  readonly file?: string
  readonly schema: readonly string[]
  readonly rename: readonly string[]
}

/** `undock db diff`: prints, as SQL, what the database contains that the migrations do not create. The shadow database
 *  to compare with is in memory and made by the migrations alone. Options are those of `supabase db diff`. */
export async function dbDiff({ file, dbUrl, rename, ...options }: DbDiffOptions): Promise<number> {
  const workdir = findWorkdir(options.workdir)
  const target = dbUrl ? { url: dbUrl, close: async () => undefined } : await findDatabase(options)
  const compare = () => differenceByNewest(workdir, target.url, splitNames(options.schema), rename)
  const scripts = await compare().finally(target.close)
  if (scripts.length === 0) console.error('No schema changes found')
  else if (file === undefined) console.log(scripts.map(({ text }) => text).join('\n\n'))
  else for (const { path } of await writeMigrations(workdir, file, scripts)) console.error(`Written to ${path}`)
  return 0
}

/** Names what a migration lacks. */
export const onLeftOut = (objects: readonly string[]): void =>
  console.error(
    `Left out, because undock can't compare them: ${objects.join('; ')}. Write them into a migration yourself.`,
  )

/** @returns the scripts that create what's missing in the migrations. */
export const differenceFromMigrations = (workdir: string, url: string, schemas: readonly string[]): Promise<Script[]> =>
  withShadow(workdir, 'all', (shadow) => difference(shadow, url, { schemas, onLeftOut }))

const run = promisify(execFile)

/** The same, computed by the project's own Supabase CLI, whose engine may be newer than undock's. It doesn't know renames, and writes what
 *  needs several transactions as one script: then undock compares.
 *  @param rename The values of `--rename`. */
function differenceByNewest(workdir: string, url: string, schemas: readonly string[], rename: readonly string[]) {
  return withShadow(workdir, 'all', async (shadow) => {
    let renamed: readonly Rename[] = []
    const own = await difference(shadow, url, {
      schemas,
      onLeftOut,
      chooseRenames: async (found) => {
        renamed = await chooseRenames(found, rename)
        return renamed
      },
    })
    const cli = findOwnCli(workdir)
    return cli && renamed.length === 0 && own.length <= 1
      ? ((await askCli(cli, workdir, shadow, url, schemas)) ?? own)
      : own
  })
}

/** @returns null if it can't compare them, as before version 3. */
async function askCli(cli: string, workdir: string, from: string, to: string, schemas: readonly string[]) {
  const words = ['db', 'diff', '--from', from, '--to', to, ...schemas.flatMap((one) => ['--schema', one])]
  const { file, args, options } = startable(cli, words)
  const outcome = await run(file, args, { ...options, cwd: workdir, maxBuffer: 64 * 2 ** 20 }).catch(
    (error: Error) => error,
  )
  if (outcome instanceof Error) {
    console.error(
      `The project's Supabase CLI couldn't compare them (${outcome.message.split('\n')[1] ?? ''}), so undock did.`,
    )
    return null
  }
  console.error("Compared by the project's Supabase CLI.")
  // Version 3.1 prints what it leaves out to the same stream, framed.
  const text = outcome.stdout.replace(/^(?:[│▲●].*\n)+/, '').trim()
  return text === '' ? [] : [{ suffix: '', text }]
}

/** Returns the renames given as options and those confirmed at the terminal. Without a terminal, the rest is dropped and created, as
 *  upstream. @throws {UsageError} for an impossible rename. */
async function chooseRenames(found: readonly Rename[], named: readonly string[]): Promise<Rename[]> {
  const chosen = new Set<Rename>()
  for (const text of named) {
    const [from = '', to = ''] = text.split('=', 2)
    const one = found.find((rename) => isNamed(rename.from, from) && isNamed(rename.to, to))
    if (!one)
      throw new UsageError(
        `--rename ${text} doesn't match a dropped and an added object of the same shape. ` +
          (found.length === 0 ? 'Nothing looks renamed.' : `Possible: ${found.map(renameText).join(', ')}`),
      )
    chosen.add(one)
  }
  const isTaken = (one: Rename) => [...chosen].some(({ from, to }) => from === one.from || to === one.to)
  for (const one of found)
    if (!isTaken(one) && process.stdin.isTTY && (await ask(`Was ${one.from} renamed to ${one.to}`))) chosen.add(one)
  const remaining = found.filter((one) => !isTaken(one))
  if (remaining.length > 0)
    console.error(
      `Dropped and created again, which loses their data: ${remaining.map(renameText).join(', ')} (to keep it, use --rename)`,
    )
  return [...chosen]
}

const nameIn = (id: string): string => id.slice(id.indexOf(':') + 1)
const renameText = ({ from, to }: Rename): string => `${nameIn(from)}=${nameIn(to)}`

/** Whether a text names an object. The kind and the schema `public` are optional. */
const isNamed = (id: string, text: string): boolean =>
  [id, nameIn(id), nameIn(id).replace(/^public\./, '')].includes(text)

type DbPullOptions = {
  readonly workdir: string
  readonly target: DatabaseTarget
  /** The part of the files' names after the version. */
  readonly name: string
  readonly schema: readonly string[]
  readonly yes: boolean
}

/** `supabase db pull`: writes what's missing in the migrations as new ones, and marks them as applied in the database. @throws {UsageError}
 *  if the histories of database and files differ, or there is nothing to pull.
 *  @see supabase 3.1, `supabase db pull --help` */
export async function dbPull({ workdir, target, name, schema, yes }: DbPullOptions): Promise<number> {
  const local = (await readMigrations(join(workdir, 'supabase'))).map(({ version }) => version)
  const remote = await withClient(target.url, readVersions)
  refuseOtherHistory(remote, local, target)
  // The first pull includes the whole database, as upstream.
  const schemas = local.length === 0 ? [] : splitNames(schema)
  const scripts = await differenceFromMigrations(workdir, target.url, schemas)
  if (scripts.length === 0)
    throw new UsageError('No schema changes found: the migrations have everything in the database.')
  const count = `${scripts.length} migration${scripts.length === 1 ? '' : 's'}`
  await requireConsent(target, `Write ${count}, and mark them as applied in the history of the database`, yes)
  const migrations = await writeMigrations(workdir, name, scripts)
  for (const { path } of migrations) console.error(`Schema written to ${path}`)
  await withClient(target.url, (client) => recordMigrations(client, migrations))
  console.error(`Repaired migration history: [${migrations.map(({ version }) => version).join(' ')}] => applied`)
  console.log('Finished supabase db pull.')
  return 0
}

function refuseOtherHistory(remote: readonly string[], local: readonly string[], { isLocal }: DatabaseTarget): void {
  const where = isLocal ? '' : ' --remote=ADDRESS'
  const lines = [
    ...remote.filter((version) => !local.includes(version)).map((version) => `--status reverted ${version}`),
    ...local.filter((version) => !remote.includes(version)).map((version) => `--status applied ${version}`),
  ]
  if (lines.length === 0) return
  throw new UsageError(
    [
      "The database's migration history does not match the files in supabase/migrations.",
      'First make sure your files are up to date. If they are, repair the history:',
      ...lines.map((line) => `  npx supabase migration repair ${line}${where}`),
    ].join('\n'),
  )
}
