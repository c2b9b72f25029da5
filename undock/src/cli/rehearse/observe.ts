import type { Db } from '../../database/db.ts'
import { HISTORY } from '../../database/migrations/history.ts'
import { sql } from '../../kernel/sql.ts'
import { withClient } from '../database-target.ts'

/** What each lock blocks, strongest first. Users don't notice others. */
export const BLOCKED: Readonly<Record<string, string>> = {
  AccessExclusiveLock: 'reads and writes of',
  ExclusiveLock: 'writes to',
  ShareRowExclusiveLock: 'writes to',
  ShareLock: 'writes to',
}

/** An applied migration. Tables existed before and are schema-qualified, quoted as in SQL. @property ms Null if it didn't run in one
 *  transaction; its locks are then unknown. @property locks Each table's strongest lock, held until the migration's end.
 *  @property rewritten Tables with a new file. */
export type AppliedMigration = {
  readonly version: string
  readonly name: string | null
  readonly ms: number | null
  readonly locks: readonly { readonly table: string; readonly mode: string }[]
  readonly rewritten: readonly string[]
}

/** A migration's last statement adds its history row, in the transaction that still holds all locks. This works for other tools too. */
const OBSERVER = `
  create table _undock.rehearsed (version text, name text, ms float8, locks json, rewritten json, number serial);
  create view _undock.current_files as
    select c.oid, format('%I.%I', n.nspname, c.relname) as name, c.relfilenode as file
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and n.nspname !~ '^(pg_|_|information_schema$|supabase_migrations$)';
  create table _undock.known_files as table _undock.current_files;
  create function _undock.note_migration() returns trigger language plpgsql security definer set search_path = '' as $$
  begin
    insert into _undock.rehearsed select new.version, new.name,
      case when not exists (select from unnest(new.statements) one where one ~*
          '\\m((re)?index|partition)\\M.*\\mconcurrently\\M|^(\\s|--[^\\n]*\\n|/\\*.*?\\*/)*(commit|end|vacuum)\\M')
        then 1000 * extract(epoch from clock_timestamp() - transaction_timestamp()) end,
      (select coalesce(json_agg(held), '[]') from (
        select distinct on (k.oid) k.name as table, l.mode from _undock.known_files k
        join pg_catalog.pg_locks l on l.relation = k.oid and l.pid = pg_backend_pid()
        join unnest('{${Object.keys(BLOCKED)}}'::text[]) with ordinality m (mode, rank) on m.mode = l.mode
        order by k.oid, m.rank) held),
      (select coalesce(json_agg(k.name), '[]') from _undock.known_files k join _undock.current_files f using (oid)
        where f.file <> k.file);
    delete from _undock.known_files; insert into _undock.known_files table _undock.current_files;
    return null;
  end $$;
  create trigger undock_rehearsal after insert on supabase_migrations.schema_migrations
    for each row execute function _undock.note_migration();
  alter table supabase_migrations.schema_migrations enable always trigger undock_rehearsal`

/** Starts recording migrations applied to a database by any program. */
export async function observeMigrations(db: Db, dbUrl: string): Promise<void> {
  await withClient(dbUrl, (client) => client.query(HISTORY))
  await db.exec(OBSERVER)
}

/** Ends the recording. @returns the migrations in the order applied. */
export async function takeMigrations(db: Db): Promise<AppliedMigration[]> {
  const { rows } = await db.query<AppliedMigration>(
    sql`select version, name, ms, locks, rewritten from _undock.rehearsed order by number`,
  )
  await db.exec(`drop function _undock.note_migration() cascade; drop view _undock.current_files;
    drop table _undock.rehearsed, _undock.known_files`)
  return rows
}
