import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dataTables, dumpData } from '../database/dump/dump.ts'
import { dataMark, nativeFolder } from '../database/project/kept-data.ts'
import { readHolder } from '../database/project/lock.ts'
import { sql, statement } from '../kernel/sql.ts'
import { SERVICES } from '../runtime/service-names.ts'
import { type Stack, type StackEvent, type StackOptions, startStack } from '../runtime/stack.ts'
import { lockPath, persistentState, stateFolder } from '../runtime/state-folders.ts'
import { type BackendOptions, findBackend, UsageError, withName } from './arguments.ts'
import { difference } from './db-diff.ts'
import { tellEvent } from './report.ts'

export type DbMoveOptions = BackendOptions & { readonly to: 'native' | 'pglite' }

const NAMES = { native: 'the native PostgreSQL', pglite: 'PGlite' } as const

/** The kept data cannot be moved; it is unchanged. */
export class MoveError extends Error {
  override readonly name = 'MoveError'
}

/** `undock db move`: copies the kept rows, users and secrets to the other engine. Structure comes from the migrations, so it
 *  must be theirs. The old data stays where it is.
 *  @throws {MoveError | UsageError} */
export async function dbMove({ to, ...options }: DbMoveOptions): Promise<number> {
  const { workdir, name } = findBackend(options)
  const from = to === 'native' ? 'pglite' : 'native'
  const folders = dataFolders(workdir, name)
  if (await readHolder(lockPath(workdir, name)))
    throw new UsageError(withName('Stop the backend first: `undock stop`', name))
  if (!existsSync(join(folders[from], dataMark)))
    throw new UsageError(`${NAMES[from]} keeps no data in ${folders[from]}, so there is nothing to move.`)
  if (existsSync(join(folders[to], dataMark)))
    throw new UsageError(`${folders[to]} has data already. Delete that folder to replace it.`)

  const tell = (event: StackEvent): void => tellEvent(event, name)
  const start = (options: Pick<StackOptions, 'engine' | 'state' | 'name'>): Promise<Stack> =>
    startStack({ workdir, name, ports: 'free', exclude: SERVICES, tell, ...options })
  console.error(`Reading the data of ${NAMES[from]}`)
  const rows = await withStack(await start({ engine: from, state: 'disk' }), (source) => readRows(source, start, to))
  console.error(`Writing it to ${NAMES[to]}`)
  const staging = stateFolder(workdir, STAGING)
  await rm(staging, { recursive: true, force: true })
  try {
    await withStack(await start({ engine: to, state: 'disk', name: STAGING }), (target) => target.db.exec(rows))
    await rename(dataFolders(workdir, STAGING)[to], folders[to])
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  console.error(
    `Done: ${NAMES[to]} has the data now. What ${NAMES[from]} had stays in ${folders[from]} until you delete it.`,
  )
  return 0
}

/** The data is written for a backend of this name and put in its place when it is whole: after a kill, the next start must not
 *  find half of it. */
const STAGING = 'data-being-moved'

function dataFolders(workdir: string, name: string | null): Record<DbMoveOptions['to'], string> {
  const { database: pglite } = persistentState(workdir, name)
  return { pglite, native: nativeFolder(pglite) }
}

async function withStack<T>(stack: Stack, work: (stack: Stack) => Promise<T>): Promise<T> {
  try {
    return await work(stack)
  } finally {
    await stack.stop()
  }
}

/** Returns the script that writes the rows to a database that was made by the same migrations.
 *  @throws {MoveError} when the structure is another one. */
async function readRows(
  source: Stack,
  start: (options: Pick<StackOptions, 'engine' | 'state'>) => Promise<Stack>,
  to: DbMoveOptions['to'],
): Promise<string> {
  if (source.pending.length > 0)
    throw new MoveError(
      'The kept data lacks migrations. Start the backend, apply them with `npx supabase migration up`, and stop it again.',
    )
  const made = await start({ engine: to, state: 'memory' })
  const changes = await difference(made.dbUrl, source.dbUrl, []).finally(made.stop)
  if (changes !== '')
    throw new MoveError(
      'The structure of the kept data is not the one that the migrations make. Write what is missing with `undock db diff -f NAME`, or take it back; it differs by:\n' +
        changes.split('\n').slice(0, 20).join('\n'),
    )
  const tables = await dataTables(source.dbUrl)
  return [
    'begin;',
    'set local session_replication_role = replica;',
    ...(tables.length > 0 ? [`truncate ${tables.join(', ')};`] : []),
    await dumpData(source.dbUrl, { schemas: [] }, []),
    await secretsOf(source),
    'commit;',
  ].join('\n')
}

/** Secrets are encrypted with a key of the data directory, so they are read in the clear and encrypted anew. */
async function secretsOf({ db }: Stack): Promise<string> {
  const { rows } = await db.query<{ script: string }>(
    statement(sql`
      select format('insert into vault.secrets (id, name, description, secret, created_at, updated_at) values (%L, %L, %L, %L, %L, %L);',
        id, name, description, decrypted_secret, created_at, updated_at) as script
      from vault.decrypted_secrets`),
  )
  return ['truncate vault.secrets;', ...rows.map(({ script }) => script)].join('\n')
}
