import { MessageChannel, Worker } from 'node:worker_threads'
import { openServerSession } from '../../database/postgres/server-session.ts'
import { decode, encodeScript } from '../../database/protocol/exchange.ts'
import type { Session } from '../../database/session.ts'
import { UserError } from '../../kernel/service-error.ts'

/** Schemas that belong to the platform, as patterns of pg_dump.
 *  @see supabase/cli pkg/migration/dump.go and its scripts */
export const PLATFORM_SCHEMAS = [
  ...[
    'information_schema',
    'pg_*',
    '_analytics',
    '_realtime',
    '_supavisor',
    '_undock',
    'etl',
    'extensions',
    'pgbouncer',
    'realtime',
  ],
  ...['supabase_migrations', 'graphql', 'graphql_public', 'pgsodium', 'pgsodium_masks', 'pgtle', 'repack', 'tiger'],
  ...['tiger_data', 'timescaledb_*', '_timescaledb_*', 'topology', 'vault'],
]
/** Schemas whose tables belong to the platform but whose rows belong to the project. */
export const SCHEMAS_WITH_PROJECT_ROWS = ['auth', 'storage', 'supabase_functions', 'cron', 'dbdev', 'net', 'pgmq']

/** The first list as patterns of LIKE. */
export const PLATFORM_SCHEMA_PATTERNS = PLATFORM_SCHEMAS.map((pattern) =>
  pattern.replaceAll('_', '\\_').replaceAll('*', '%'),
)

/** A run of pg_dump; its thread sleeps on `lock` until a response arrives. */
export type PgDumpJob = {
  readonly args: readonly string[]
  /** pg_dump asks for the catalogs that this version has. */
  readonly serverVersion: string
  readonly port: MessagePort
  readonly lock: Int32Array
}

type DumpResult =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'failed'; readonly message: string }

/** Runs pg_dump, compiled to WebAssembly, on any database. The program reads and writes its connection synchronously, so it runs in a
 *  separate thread, which sleeps during each exchange.
 *  @param source The URL of a database, or a session of it, which stays open.
 *  @param args The program's arguments without connection and output. Data is always dumped as INSERT.
 *  @throws {UserError} with pg_dump's message. */
export async function pgDump(source: string | Session, args: readonly string[]): Promise<string> {
  if (typeof source !== 'string') return dumpFrom(source, args)
  const session = await openServerSession(source, { statement_timeout: '0' })
  return dumpFrom(session, args).finally(() => session.close())
}

async function dumpFrom(session: Session, args: readonly string[]): Promise<string> {
  const serverVersion = await versionOf(session)
  const { port1, port2 } = new MessageChannel()
  const lock = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(WORKER, import.meta.url))
  try {
    port1.on('message', async (bytes: Uint8Array) => {
      const answer = await session.exchange(bytes).catch((error: Error) => error)
      port1.postMessage(answer instanceof Error ? answer.message : Uint8Array.from(answer))
      Atomics.store(lock, 0, 1)
      Atomics.notify(lock, 0)
    })
    const outcome = await new Promise<DumpResult>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.postMessage({ args, serverVersion, port: port2, lock }, [port2])
    })
    if (outcome.kind === 'failed') throw new UserError(outcome.message.replace(/^.*worker\.\w+: /s, 'pg_dump: '))
    return outcome.text
  } finally {
    port1.close()
    await worker.terminate()
  }
}

async function versionOf(session: Session): Promise<string> {
  const response = decode(await session.exchange(encodeScript('show server_version')))
  return String(response.results[0]?.rows[0]?.server_version)
}

/** In the repository Node runs the TypeScript sources; the published package contains JavaScript. */
const WORKER = import.meta.url.endsWith('.ts') ? './pg-dump-worker.ts' : './pg-dump-worker.js'
