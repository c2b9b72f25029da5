import { type DifferenceOptions, difference, type Rename, type Script } from '../../project-tools/schema-difference.ts'
import { type BackendOptions, findWorkdir, splitNames, UsageError } from '../arguments.ts'
import { ask } from '../database-target.ts'
import { findDatabase, withShadow } from '../running.ts'
import { writeMigrations } from './migration-files.ts'

export type DbDiffOptions = BackendOptions & {
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
  const compare = () =>
    differenceFromMigrations(workdir, target.url, splitNames(options.schema), (found) => chooseRenames(found, rename))
  const scripts = await compare().finally(target.close)
  if (scripts.length === 0) console.error('No schema changes found')
  else if (file === undefined) console.log(scripts.map(({ text }) => text).join('\n\n'))
  else for (const { path } of await writeMigrations(workdir, file, scripts)) console.error(`Written to ${path}`)
  return 0
}

/** @returns the scripts that create what a database has beyond the migrations. */
export const differenceFromMigrations = (
  workdir: string,
  url: string,
  schemas: readonly string[],
  choose?: DifferenceOptions['chooseRenames'],
): Promise<Script[]> =>
  withShadow(workdir, 'all', (shadow) =>
    difference(shadow, url, { schemas, ...(choose ? { chooseRenames: choose } : {}) }),
  )

/** What the options name, and of the rest what somebody says yes to. Without a terminal the rest is dropped and made, as upstream.
 *  @throws {UsageError} for what cannot have been renamed. */
async function chooseRenames(found: readonly Rename[], named: readonly string[]): Promise<Rename[]> {
  const chosen = new Set<Rename>()
  for (const text of named) {
    const [from = '', to = ''] = text.split('=', 2)
    const one = found.find((rename) => isNamed(rename.from, from) && isNamed(rename.to, to))
    if (!one)
      throw new UsageError(
        `--rename ${text}: there is no such pair of one that is gone and one that is new and alike. ` +
          (found.length === 0 ? 'Nothing was renamed.' : `These may be: ${found.map(renameText).join(', ')}`),
      )
    chosen.add(one)
  }
  for (const one of found) {
    const isTaken = [...chosen].some(({ from, to }) => from === one.from || to === one.to)
    if (!isTaken && process.stdin.isTTY && (await ask(`Was ${one.from} renamed to ${one.to}`))) chosen.add(one)
  }
  const left = found.filter((one) => ![...chosen].some(({ from, to }) => from === one.from || to === one.to))
  if (left.length > 0)
    console.error(
      `Dropped and created again, with the loss of what they hold: ${left.map(renameText).join(', ')} (--rename keeps it)`,
    )
  return [...chosen]
}

const renameText = ({ from, to }: Rename): string =>
  `${from.slice(from.indexOf(':') + 1)}=${to.slice(to.indexOf(':') + 1)}`

/** Whether a text names an object: with or without its kind, and its schema where that is public. */
const isNamed = (id: string, text: string): boolean => {
  const name = id.slice(id.indexOf(':') + 1)
  return [id, name, name.replace(/^public\./, '')].includes(text)
}
