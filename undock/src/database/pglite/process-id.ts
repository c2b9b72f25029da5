import type { PGlite } from '@electric-sql/pglite'

/** The address of `MyBEEntry` (Postgres' backend_status.c) in the memory of this build of PGlite, which does not export it: a pointer
 *  to what pg_stat_activity shows of the session. The process id is the entry's second number. */
const STATUS_ENTRY = 2_920_228
const ENTRY_PROCESS_ID = 4
/** `MyLatch` points into the entry of the session in the list of processes; the process id (pg_locks) follows 24 bytes later. */
const LATCH_PROCESS_ID = 24

/** The addresses of variables that PGlite exports for extensions; its types leave them out. */
type Exported = { readonly _MyProcPid?: number; readonly _MyLatch?: number }

/** Runs a script and returns the complete response. */
type Run = (script: string) => Uint8Array

/** Postgres' function reads `MyProcPid`, which must stay the worker's own: signals, also those of NOTIFY, are sent to it. This one
 *  reads what pg_stat_activity shows. */
const REPLACE_FUNCTION = `
  do $undock$ begin execute format(
    'create or replace function pg_catalog.pg_backend_pid() returns integer language sql stable strict parallel restricted as %L',
    format('select pg_catalog.pg_stat_get_backend_pid(%s)', (select min(id) from pg_catalog.pg_stat_get_backend_idset() as id)));
  end $undock$`

/** The process id that the engine's only session shows to SQL: each client of the database port has its own. */
export class ProcessId {
  readonly #database: PGlite
  readonly #addresses: readonly number[]
  readonly #own: number

  private constructor(database: PGlite, addresses: readonly number[], own: number) {
    this.#database = database
    this.#addresses = addresses
    this.#own = own
  }

  /** Checks that the numbers are at the expected addresses, and that pg_backend_pid() shows them.
   *  @returns null when they are not, as with another build of PGlite. */
  static find(database: PGlite, run: Run): ProcessId | null {
    const { _MyProcPid, _MyLatch } = database.Module as unknown as Exported
    if (!_MyProcPid || !_MyLatch) return null
    const numbers = new Int32Array(database.Module.HEAPU8.buffer)
    const at = (address: number) => numbers[address >> 2] ?? 0
    const addresses = [at(STATUS_ENTRY) + ENTRY_PROCESS_ID, at(_MyLatch) + LATCH_PROCESS_ID]
    if (addresses.some((address) => at(address) !== at(_MyProcPid))) return null
    const id = new ProcessId(database, addresses, at(_MyProcPid))
    const isShown = () =>
      id.during(PROBE, () => Buffer.from(run('select pg_catalog.pg_backend_pid()')).includes(String(PROBE)))
    if (isShown()) return id
    run(REPLACE_FUNCTION)
    return isShown() ? id : null
  }

  /** Runs `work` while the session shows this process id. */
  during<T>(processId: number, work: () => T): T {
    this.#write(processId)
    try {
      return work()
    } finally {
      this.#write(this.#own)
    }
  }

  #write(processId: number): void {
    // Read again each time, because the memory gets another buffer when it grows.
    const numbers = new Int32Array(this.#database.Module.HEAPU8.buffer)
    for (const address of this.#addresses) numbers[address >> 2] = processId
  }
}

/** A process id that no client has. */
const PROBE = 2_000_000_001
