import type { Duplex } from 'node:stream'
import pg from 'pg'
import { UserError } from '../kernel/service-error.ts'
import { connectionTo } from '../kernel/url.ts'

/** The user of hosted projects that reads all rows and writes none; undock gives it the password of all local users. */
const READER = 'supabase_read_only_user'
const LOCAL_PASSWORD = 'postgres'
/** Milliseconds that a statement may take. */
const STATEMENT_TIMEOUT = 60_000
/** Characters of a result as JSON: a model cannot use more. */
const MAX_RESULT = 1_000_000
/** Codes of a login that was refused: unknown user, wrong password. */
const LOGIN_REFUSED = ['28000', '28P01']

/** int8 is a number where that is exact, as in postgres-meta. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.INT8 && format !== 'binary' ? readInt8 : pg.types.getTypeParser(type, format),
}
const readInt8 = (text: string): number | string => (Number.isSafeInteger(Number(text)) ? Number(text) : text)

type SqlRow = Record<string, unknown>

export type SqlClient = {
  /** Runs a script as the project's user, with all of its rights.
   *  @returns the rows of the last statement. */
  run(script: string): Promise<SqlRow[]>
  /** Runs one statement in a read only transaction that is rolled back, as a user that can write nothing and reaches no other
   *  server. */
  read(query: string, parameters?: readonly unknown[]): Promise<SqlRow[]>
  /** The same for a query of the catalogue: no schema of the project is on its search path, whose operators could stand for
   *  PostgreSQL's. */
  readCatalog(query: string, parameters: readonly unknown[]): Promise<SqlRow[]>
  /** A session of the project's user for `work`. */
  withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T>
}

/** Runs the SQL of agents in sessions of their own, as a client of the database port does.
 *  @param connect Replaces the port of a database without one. */
export function createSqlClient(dbUrl: string, connect?: (user: string) => Duplex): SqlClient {
  async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({
      ...connectionTo(url),
      ...(connect && { stream: () => connect(new URL(url).username) }),
      application_name: 'undock mcp',
      types: TYPES,
      statement_timeout: STATEMENT_TIMEOUT,
      connectionTimeoutMillis: STATEMENT_TIMEOUT,
    })
    // A connection that is lost rejects its query, too.
    client.on('error', () => undefined)
    try {
      await client.connect()
      return await work(client)
    } catch (error) {
      throw error instanceof pg.DatabaseError ? explained(error) : error
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  const read = (query: string, parameters: readonly unknown[], before = '') =>
    withClient(readerUrl(dbUrl), async (client) => {
      // After its first query a transaction cannot become one that writes.
      await client.query(`begin; call _undock.confine(); set transaction read only; ${before}select 1`)
      // The extended protocol takes one statement only, so that no COMMIT can precede another one.
      const extended = { text: query, values: [...parameters], queryMode: 'extended' }
      try {
        return bounded(await client.query<SqlRow>(extended))
      } finally {
        // The first error is the one to report.
        await client.query('rollback').catch(() => undefined)
      }
    })

  return {
    run: (script) => withClient(dbUrl, async (client) => bounded(lastOf(await client.query<SqlRow>(script)))),
    read: (query, parameters = []) => read(query, parameters),
    readCatalog: (query, parameters) => read(query, parameters, "set local search_path = ''; "),
    withClient: (work) => withClient(dbUrl, work),
  }
}

const readerUrl = (dbUrl: string): string =>
  Object.assign(new URL(dbUrl), { username: READER, password: LOCAL_PASSWORD }).href

/** A script of several statements has a result for each. */
const lastOf = (result: pg.QueryResult<SqlRow> | pg.QueryResult<SqlRow>[]): pg.QueryResult<SqlRow> | undefined =>
  Array.isArray(result) ? result.at(-1) : result

/** @throws {UserError} */
function bounded(result: pg.QueryResult<SqlRow> | undefined): SqlRow[] {
  const rows = result?.rows ?? []
  let characters = 0
  for (const row of rows) {
    characters += JSON.stringify(row).length
    if (characters > MAX_RESULT)
      throw new UserError(
        `The result of ${rows.length} rows has more than ${MAX_RESULT} characters. The statement ran; select fewer rows or columns.`,
      )
  }
  return rows
}

function explained(error: pg.DatabaseError): UserError {
  const { code = '', message, detail, hint } = error
  const reason = LOGIN_REFUSED.includes(code) ? ` (a read only statement logs in as ${READER})` : ''
  const more = [detail && `Detail: ${detail}`, hint && `Hint: ${hint}`].filter(Boolean).join(' ')
  return new UserError(`${code}: ${message}${reason}${more && `. ${more}`}`, { cause: error })
}
