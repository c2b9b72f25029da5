import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError, readJson, write } from '../../lib/api.ts'
import { ident, qualified } from '../../lib/sql.ts'
import { runScript } from '../sql/run-script.ts'

/** PostgreSQL's statistics views (https://www.postgresql.org/docs/current/monitoring-stats.html). */
export const activityKey = ['activity'] as const

/** @property start Identifies the session together with the pid, which is reused. @property since Milliseconds in its current state.
 *  @property transaction Age of its open transaction in milliseconds. @property blockers As in `lockTree`. */
export type Session = {
  readonly pid: number
  readonly start: string
  readonly user: string | null
  readonly database: string | null
  readonly application: string
  readonly state: string | null
  readonly since: number | null
  readonly transaction: number | null
  readonly wait: string | null
  readonly blockers: readonly number[]
  readonly query: string
}

const SESSIONS = `
  select json_build_object('pid', pid, 'start', backend_start, 'user', usename, 'database', datname,
    'application', application_name, 'state', state,
    'since', extract(epoch from clock_timestamp() - case state when 'active' then query_start else state_change end) * 1000,
    'transaction', extract(epoch from clock_timestamp() - xact_start) * 1000,
    'wait', case when wait_event_type in ('Lock', 'LWLock', 'IO', 'BufferPin', 'Timeout', 'Extension')
      then wait_event_type || ': ' || wait_event end,
    -- pg_blocking_pids takes the lock manager's own locks, so it's called only for waiting sessions.
    'blockers', case when wait_event_type = 'Lock' then pg_blocking_pids(pid) else '{}' end,
    'query', left(query, 10000))
  from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
  order by state = 'active' desc nulls last, xact_start nulls last, backend_start`

export const sessionsQuery = queryOptions({
  queryKey: [...activityKey, 'sessions'],
  queryFn: ({ signal }) => readJson<Session>(SESSIONS, [], { signal }),
  refetchInterval: 2_000,
})

/** Cancels a session's statement, or ends the session. @throws {ApiError} when it no longer exists or the database refuses. */
export async function signalSession(how: 'cancel' | 'terminate', { pid, start }: Session): Promise<void> {
  const text = `select pg_${how}_backend(pid) from pg_stat_activity where pid = $1::int and backend_start = $2::timestamptz`
  const [result] = await write([{ text, values: [String(pid), start] }])
  if (result?.rows.length === 0) throw new ApiError(404, { message: `Session ${pid} has already ended.` })
}

/** @property share Of the time of all statements, from 0 to 1. @property hit The share of pages that were in memory. Times in
 *  milliseconds. */
export type StatementFigures = {
  readonly id: string
  readonly query: string
  readonly role: string | null
  readonly calls: number
  readonly total: number
  readonly share: number
  readonly mean: number
  readonly max: number
  readonly rows: number
  readonly hit: number | null
}

const statementsOf = (schema: string) => `
  select json_build_object('id', concat_ws(' ', s.queryid, s.userid, s.toplevel), 'query', left(s.query, 10000),
    'role', r.rolname, 'calls', s.calls, 'total', s.total_exec_time, 'mean', s.mean_exec_time, 'max', s.max_exec_time,
    'share', s.total_exec_time / nullif(sum(s.total_exec_time) over (), 0), 'rows', s.rows,
    'hit', s.shared_blks_hit::float / nullif(s.shared_blks_hit + s.shared_blks_read, 0))
  from ${ident(schema)}.pg_stat_statements s left join pg_roles r on r.oid = s.userid
  where s.dbid = (select oid from pg_database where datname = current_database())
  order by s.total_exec_time desc limit 300`

/** The schema of pg_stat_statements and its figures; null if it isn't enabled. */
export const statementsQuery = queryOptions({
  queryKey: [...activityKey, 'statements'],
  queryFn: async ({ signal }) => {
    const [schema] = await readJson<string>(
      `select to_json(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
        where e.extname = 'pg_stat_statements'`,
      [],
      { signal },
    )
    return schema === undefined
      ? null
      : { schema, rows: await readJson<StatementFigures>(statementsOf(schema), [], { signal }) }
  },
  refetchInterval: 10_000,
})

export const resetStatements = (schema: string) =>
  write([{ text: `select ${ident(schema)}.pg_stat_statements_reset()` }])

/** Sizes in bytes. @property rows An estimate. @property wasted Estimated bytes that rewriting the table would free.
 *  @property hit As in StatementFigures. */
export type TableFigures = {
  readonly id: string
  readonly schema: string
  readonly name: string
  readonly total: number
  readonly indexes: number
  readonly rows: number
  readonly dead: number
  readonly wasted: number | null
  readonly scans: number
  readonly indexScans: number
  readonly hit: number | null
  readonly vacuumed: string | null
  readonly analyzed: string | null
}

/** A row is its columns, a 24-byte header and a 4-byte pointer; a page has 8,168 bytes for rows. */
const TABLES = `
  select json_build_object('id', c.oid::text, 'schema', n.nspname, 'name', c.relname,
    'total', c.total, 'indexes', pg_indexes_size(c.oid), 'rows', case when c.reltuples >= 0 then c.reltuples else s.n_live_tup end,
    'dead', s.n_dead_tup,
    'wasted', case when c.reltuples >= 0 and c.relpages > 0 and w.width is not null
      then greatest(0, c.relpages - ceil(c.reltuples * (w.width + 28) / 8168)) * 8192 end,
    'scans', s.seq_scan, 'indexScans', coalesce(s.idx_scan, 0),
    'hit', io.heap_blks_hit::float / nullif(io.heap_blks_hit + io.heap_blks_read, 0),
    'vacuumed', greatest(s.last_vacuum, s.last_autovacuum), 'analyzed', greatest(s.last_analyze, s.last_autoanalyze))
  from (select *, pg_total_relation_size(oid) as total from pg_class
    where relkind in ('r', 'm') and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    order by total desc limit 500) c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_stat_all_tables s on s.relid = c.oid
  left join pg_statio_all_tables io on io.relid = c.oid
  left join lateral (select sum((1 - null_frac) * avg_width) as width from pg_stats p
    where p.schemaname = n.nspname and p.tablename = c.relname) w on true
  order by c.total desc`

/** The 500 largest tables. */
export const tablesQuery = queryOptions({
  queryKey: [...activityKey, 'tables'],
  queryFn: ({ signal }) => readJson<TableFigures>(TABLES, [], { signal }),
  refetchInterval: 15_000,
})

/** @property fault Why it may be unnecessary: a duplicate, or never read. @property isKept Whether a constraint needs it. */
export type IndexFigures = {
  readonly id: string
  readonly schema: string
  readonly name: string
  readonly table: string
  readonly definition: string
  readonly size: number
  readonly scans: number
  readonly isKept: boolean
  readonly fault: string | null
}

const INDEXES = `
  select json_build_object('id', i.indexrelid::text, 'schema', s.schemaname, 'name', s.indexrelname, 'table', s.relname,
    'definition', pg_get_indexdef(i.indexrelid), 'size', pg_relation_size(i.indexrelid), 'scans', s.idx_scan,
    'isKept', k.oid is not null,
    'fault', case when not i.indisvalid then 'not valid: its creation did not end'
      when k.oid is null and t.twin is not null then 'the same as ' || t.twin
      when k.oid is null and not i.indisunique and s.idx_scan = 0 then 'never read' end)
  from pg_index i join pg_stat_all_indexes s on s.indexrelid = i.indexrelid
  left join pg_constraint k on k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')
  left join lateral (select min(o.indexrelid::regclass::text) as twin from pg_index o
    where o.indrelid = i.indrelid and o.indexrelid <> i.indexrelid and o.indisvalid and o.indkey = i.indkey
      and o.indclass = i.indclass and o.indoption = i.indoption and o.indcollation = i.indcollation
      and o.indpred::text is not distinct from i.indpred::text and o.indexprs::text is not distinct from i.indexprs::text
      and (o.indisunique or not i.indisunique)
      -- Of two identical ones, the newer is unnecessary.
      and (o.indisunique <> i.indisunique or o.indexrelid < i.indexrelid)) t on true
  where s.schemaname not in ('pg_catalog', 'information_schema', 'pg_toast')
  order by pg_relation_size(i.indexrelid) desc limit 1000`

/** The 1,000 largest indexes. */
export const indexesQuery = queryOptions({
  queryKey: [...activityKey, 'indexes'],
  queryFn: ({ signal }) => readJson<IndexFigures>(INDEXES, [], { signal }),
  refetchInterval: 15_000,
})

/** Runs a statement that can't run in a transaction, such as VACUUM, in its own session. @throws {ApiError} */
export async function maintain(
  verb: 'vacuum' | 'analyze' | 'reindex index concurrently',
  { schema, name }: { readonly schema: string; readonly name: string },
): Promise<void> {
  const { results } = await runScript('maintenance', { text: `${verb} ${qualified(schema, name)}` })
  for (const result of results) if ('error' in result) throw new ApiError(400, result.error)
}

/** @property retained Bytes of WAL kept for it. */
export type ReplicationSlot = {
  readonly name: string
  readonly kind: string
  readonly plugin: string | null
  readonly isActive: boolean
  readonly retained: number | null
}

/** @property hit As in StatementFigures. @property oldest Milliseconds that the oldest transaction has been open.
 *  @property age Transactions since the last freeze; PostgreSQL refuses writes before 2,147,483,647.
 *  @property wal Bytes on disk; null if the engine has none. @property walWritten Bytes since the cluster was created. */
export type ServerFigures = {
  readonly version: string
  readonly started: string
  readonly connections: number
  readonly limit: number
  readonly size: number
  readonly commits: number
  readonly rollbacks: number
  readonly hit: number | null
  readonly deadlocks: number
  readonly temporary: number
  readonly oldest: number | null
  readonly age: number
  readonly wal: number | null
  readonly walWritten: number
  readonly slots: readonly ReplicationSlot[]
}

const SERVER = `
  select json_build_object('version', current_setting('server_version'), 'started', pg_postmaster_start_time(),
    'connections', (select count(*) from pg_stat_activity where backend_type = 'client backend'),
    'limit', current_setting('max_connections')::int, 'size', pg_database_size(d.datname),
    'commits', d.xact_commit, 'rollbacks', d.xact_rollback, 'deadlocks', d.deadlocks, 'temporary', d.temp_bytes,
    'hit', d.blks_hit::float / nullif(d.blks_hit + d.blks_read, 0),
    'oldest', (select extract(epoch from clock_timestamp() - min(xact_start)) * 1000 from pg_stat_activity
      where pid <> pg_backend_pid()),
    'age', (select age(datfrozenxid) from pg_database where datname = d.datname),
    'wal', (select sum(size) from pg_ls_waldir()), 'walWritten', pg_wal_lsn_diff(l.now, '0/0'),
    'slots', (select coalesce(json_agg(json_build_object('name', slot_name, 'kind', slot_type, 'plugin', plugin,
      'isActive', active, 'retained', pg_wal_lsn_diff(l.now, restart_lsn)) order by slot_name), '[]')
      from pg_replication_slots))
  from pg_stat_database d,
    (select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end as now) l
  where d.datname = current_database()`

/** One hour at this interval. */
const MAX_POINTS = 720

export type ServerPoint = { readonly at: number } & Pick<ServerFigures, 'size' | 'wal'>

/** The server's figures, some with their history since the page was opened. */
export const serverQuery = queryOptions({
  queryKey: [...activityKey, 'server'],
  queryFn: async ({ signal, client }) => {
    const [figures] = await readJson<ServerFigures>(SERVER, [], { signal })
    if (!figures) throw new ApiError(500, { message: 'Postgres has no statistics of this database.' })
    const { size, wal } = figures
    const points = [...pointsSoFar(client), { at: Date.now() / 1_000, size, wal }].slice(-MAX_POINTS)
    return { figures, points }
  },
  refetchInterval: 5_000,
  gcTime: Number.POSITIVE_INFINITY,
})

const pointsSoFar = (client: QueryClient): readonly ServerPoint[] =>
  client.getQueryData<{ points: readonly ServerPoint[] }>([...activityKey, 'server'])?.points ?? []

export const dropSlot = (name: string) => write([{ text: 'select pg_drop_replication_slot($1)', values: [name] }])
