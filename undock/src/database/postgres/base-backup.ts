import { chown, copyFile, lstat, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { connectionTo } from '../../kernel/url.ts'
import { copyTree } from '../../platform/copy-tree.ts'
import { ordinaryUser } from './ordinary-user.ts'
import { RESERVE } from './postmaster.ts'
import { startupOptions } from './server-session.ts'

/** Files of the running server, which a copy must not have. */
const OF_THE_SERVER = new Set([
  RESERVE,
  'postmaster.pid',
  'postmaster.opts',
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])

/** Copies a running server's data directory as of the end of the backup, which the first start recovers from the log.
 *  @param url A superuser's address.
 *  @see https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP */
export async function backUpCluster(
  { url, settings }: { readonly url: string; readonly settings: Readonly<Record<string, string>> },
  from: string,
  to: string,
  except: readonly string[],
): Promise<void> {
  const options = startupOptions(settings)
  const client = new pg.Client({ ...connectionTo(url), application_name: 'undock', options })
  client.on('error', () => undefined)
  await client.connect()
  try {
    // The slot keeps the log until the session ends.
    await client.query("select pg_create_physical_replication_slot('undock_backup_' || pg_backend_pid(), true, true)")
    await client.query("select pg_backup_start('undock', true)")
    await copyTree(from, to, { except: new Set([...OF_THE_SERVER, ...except]), mayVanish: true })
    const { rows } = await client.query<{ label: string; last: string }>(
      'select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)',
    )
    const { label, last } = rows[0] as { label: string; last: string }
    await addEmptyFolders(from, to)
    await addLog(from, to, /\(file ([0-9A-F]{24})\)/.exec(label)?.[1] ?? '', last)
    await writeOwned(join(to, 'backup_label'), label)
  } finally {
    await client.end()
  }
}

const own = async (path: string): Promise<void> => {
  const user = ordinaryUser()
  if (user) await chown(path, user.uid, user.gid)
}

async function writeOwned(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 })
  await own(path)
}

/** The server expects these folders even though their content is left out. */
async function addEmptyFolders(from: string, to: string): Promise<void> {
  const names = [...OF_THE_SERVER, join('pg_wal', 'archive_status'), join('pg_wal', 'summaries')]
  for (const name of names) {
    const stats = await lstat(join(from, name)).catch(() => null)
    if (!stats?.isDirectory()) continue
    await mkdir(join(to, name), { mode: 0o700 })
    await own(join(to, name))
  }
}

async function addLog(from: string, to: string, first: string, last: string): Promise<void> {
  const names = (await readdir(join(from, 'pg_wal'))).filter((name) => name >= first && name <= last)
  for (const name of names.filter((name) => /^[0-9A-F]{24}$/.test(name))) {
    await copyFile(join(from, 'pg_wal', name), join(to, 'pg_wal', name))
    await own(join(to, 'pg_wal', name))
  }
}
