import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readProjectConfig } from '../../config/project.ts'
import { asProjectUser } from '../../database/as-project-user.ts'
import { PROJECT_USER } from '../../database/engine-user.ts'
import { majorFor } from '../../database/postgres/majors.ts'
import { type DataFormat, dataMark, folderOf, formatName, lastUsedFormat } from '../../database/project/kept-data.ts'
import { readHolder } from '../../database/project/lock.ts'
import { sql, statement } from '../../kernel/sql.ts'
import { dataTables, dumpData } from '../../project-tools/dump/dump.ts'
import { difference } from '../../project-tools/schema-difference.ts'
import { followGitStopped } from '../../runtime/branches/follow-git.ts'
import { lockPath, persistentState, stateFolder } from '../../runtime/place/state-folders.ts'
import type { StackEvent, StackOptions } from '../../runtime/stack/options.ts'
import { engineOf } from '../../runtime/stack/options.ts'
import { SERVICES } from '../../runtime/stack/service-names.ts'
import { type Stack, startStack } from '../../runtime/stack/stack.ts'
import { type BackendOptions, findBackend, UsageError, withName } from '../arguments.ts'
import { tellEvent } from '../report.ts'

export type DbMoveOptions = BackendOptions & { readonly to: 'native' | 'pglite' }

/** The kept data cannot be moved; it is unchanged. */
class MoveError extends Error {
  override readonly name = 'MoveError'
}

/** `undock db move`: copies the kept rows, users and secrets to another engine, or to the major version of PostgreSQL that the
 *  configuration names. Structure comes from the migrations, so it
 *  must be theirs. The old data stays where it is.
 *  @throws {MoveError | UsageError} */
export async function dbMove({ to, ...options }: DbMoveOptions): Promise<number> {
  const { workdir, name } = findBackend(options)
  if (await readHolder(lockPath(workdir, name)))
    throw new UsageError(withName('Stop the backend first: `undock stop`', name))
  await followGitStopped(workdir, name)
  const { database } = persistentState(workdir, name)
  const target = to === 'native' ? majorFor(readProjectConfig(workdir).config.db.major_version) : to
  const folder = folderOf(database, target)
  if (existsSync(join(folder, dataMark)))
    throw new UsageError(`${folder} has data already. Delete that folder to replace it.`)
  const from = lastUsedFormat(database)
  if (!from) throw new UsageError(`No data is kept for ${workdir}, so there is nothing to move.`)

  const tell = (event: StackEvent): void => tellEvent(event, name)
  const start = (format: DataFormat, options: Pick<StackOptions, 'state' | 'name'>): Promise<Stack> =>
    startStack({ workdir, name, ports: 'free', exclude: SERVICES, tell, ...engineOf(format), ...options })
  console.error(`Reading the data of ${formatName(from)}`)
  const rows = await withStack(await start(from, { state: 'disk' }), (source) =>
    readRows(source, () => start(from, { state: 'memory' })),
  )
  console.error(`Writing it to ${formatName(target)}`)
  const staging = stateFolder(workdir, STAGING)
  await rm(staging, { recursive: true, force: true })
  try {
    await withStack(await start(target, { state: 'disk', name: STAGING }), (target) =>
      // Constraints, defaults and triggers of the project run with its own rights.
      target.db.runAs(PROJECT_USER, `set statement_timeout = 0; ${rows}`),
    )
    await rename(folderOf(persistentState(workdir, STAGING).database, target), folder)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  console.error(
    `Done: ${formatName(target)} has the data now. What ${formatName(from)} had stays in ${folderOf(database, from)} until you delete it.`,
  )
  return 0
}

/** The data is written for a backend of this name and put in its place when it is whole: after a kill, the next start must not
 *  find half of it. */
const STAGING = 'data-being-moved'

async function withStack<T>(stack: Stack, work: (stack: Stack) => Promise<T>): Promise<T> {
  try {
    return await work(stack)
  } finally {
    await stack.stop()
  }
}

/** Returns the script that writes the rows to a database that was made by the same migrations.
 *  @param startEmpty Starts a stack of the same format with what the migrations and the seed make.
 *  @throws {MoveError} when the structure is another one. */
async function readRows(source: Stack, startEmpty: () => Promise<Stack>): Promise<string> {
  if ((await source.migrations()).pending.length > 0)
    throw new MoveError(
      'The kept data lacks migrations. Start the backend, apply them with `undock migration up`, and stop it again.',
    )
  const made = await startEmpty()
  const changes = await difference(made.dbUrl, source.dbUrl, { schemas: [] }).finally(made.stop)
  if (changes.length > 0)
    throw new MoveError(
      'The structure of the kept data is not the one that the migrations make. Write what is missing with `undock db diff -f NAME`, or undo it; it differs by:\n' +
        changes
          .flatMap(({ text }) => text.split('\n'))
          .slice(0, 20)
          .join('\n'),
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

/** Secrets are encrypted with a key of the data directory, so they are read in the clear and encrypted again. */
async function secretsOf({ db }: Stack): Promise<string> {
  const { rows } = await asProjectUser(db).query<{ script: string }>(
    statement(sql`
      select format('insert into vault.secrets (id, name, description, secret, created_at, updated_at) values (%L, %L, %L, %L, %L, %L);',
        id, name, description, decrypted_secret, created_at, updated_at) as script
      from vault.decrypted_secrets`),
  )
  return ['truncate vault.secrets;', ...rows.map(({ script }) => script)].join('\n')
}
