import pg from 'pg'
import { readProjectConfig } from '../../config/project.ts'
import { readHolder } from '../../database/project/lock.ts'
import { ImportError, isLoopback, withEncryption } from '../../project-tools/import/source.ts'
import { lockPath } from '../../runtime/place/state-folders.ts'
import { SERVICES, type StackEvent } from '../../runtime/stack/options.ts'
import { type BackendOptions, findBackend, UsageError } from '../arguments.ts'
import { withClient } from '../database-target.ts'
import { printEvent } from '../report.ts'
import { type FoundDatabase, findDatabase } from '../running.ts'

/** Finds the database to import into: that of the running backend or `undock run`, or else the kept one, whose backend runs during the
 *  import. @throws {ImportError} if it isn't on this machine, isn't undock's, or is the source itself. */
export async function findImportTarget(options: BackendOptions, sourceUrl: string): Promise<FoundDatabase> {
  const source = withEncryption(sourceUrl)
  const target = await findTarget(options)
  try {
    requireLocal(target.url)
    if (placeOf(target.url) === placeOf(source))
      throw new ImportError('The source and the local database are the same.')
    await requireUndock(target.url)
    return target
  } catch (error) {
    await target.close()
    throw error
  }
}

/** Finds a backend's kept database, running or not.
 *  @throws {UsageError} inside `undock run`, which deletes its files. */
export async function findKeptDatabase(options: BackendOptions): Promise<FoundDatabase> {
  if (process.env.SUPABASE_DB_URL && options.name === undefined)
    throw new UsageError('The backend of `undock run` has no files on disk. Run this command outside of it.')
  return findTarget(options)
}

async function findTarget(options: BackendOptions): Promise<FoundDatabase> {
  const { workdir, name } = findBackend(options)
  const isInRun = process.env.SUPABASE_DB_URL && options.name === undefined
  if (isInRun || (await readHolder(lockPath(workdir, name)))) return findDatabase(options)
  // Checked first, because a start would apply migrations.
  const { database_url: url } = readProjectConfig(workdir).settings
  if (url !== undefined) requireLocal(url)
  const { startStack } = await import('../../runtime/stack/stack.ts')
  const tell = (event: StackEvent): void => printEvent(event, name)
  const stack = await startStack({ workdir, name, ports: 'free', exclude: SERVICES, tell })
  return { url: stack.dbUrl, close: stack.stop }
}

/** Where the driver connects: a URL's parameters override its host. */
const addressOf = (url: string): Pick<pg.Client, 'host' | 'port' | 'database'> => new pg.Client(url)

/** @throws {ImportError} */
function requireLocal(url: string): void {
  const { host } = addressOf(url)
  if (!isLoopback(host))
    throw new ImportError(`Rows can be imported only into a database on this machine, but this backend uses ${host}.`)
}

function placeOf(url: string): string {
  const { host, port, database } = addressOf(url)
  return `${isLoopback(host) ? 'localhost' : host}:${port}/${database}`
}

/** A tunnel makes a remote database look local.
 *  @throws {ImportError} */
async function requireUndock(url: string): Promise<void> {
  const isOurs = await withClient(url, async (client) => {
    const { rows } = await client.query<{ is: boolean }>("select to_regnamespace('_undock') is not null as is")
    return rows[0]?.is === true
  })
  if (!isOurs) throw new ImportError(`The database ${placeOf(url)} was not created by undock, so nothing was imported.`)
}
