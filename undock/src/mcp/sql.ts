import type { Duplex } from 'node:stream'
import pg from 'pg'
import { UserError } from '../kernel/service-error.ts'
import { connectionTo } from '../kernel/url.ts'

/** The read-only user of hosted projects, which can read all rows. In undock it has the same password as all local users. */
const READER = 'supabase_read_only_user'
const LOCAL_PASSWORD = 'postgres'
/** The timeout of a statement in milliseconds. */
const STATEMENT_TIMEOUT = 60_000
/** The maximum length of a result as JSON: models can't use more. */
const MAX_RESULT = 1_000_000
/** Codes of a refused login: unknown user, wrong password. */
const LOGIN_REFUSED = ['28000', '28P01']

/** int8 is a number if that's exact, as in postgres-meta. */
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
  /** Runs one statement in a read-only transaction that's rolled back, as a user that can't write or reach other servers. */
  read(query: string, parameters?: readonly unknown[]): Promise<SqlRow[]>
  /** The same for a catalog query: the search path is empty, because the project's operators could shadow PostgreSQL's. */
  readCatalog(query: string, parameters: readonly unknown[]): Promise<SqlRow[]>
  /** A session of the project's user for `work`. */
  withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T>
}

/** Runs agents' SQL in separate sessions, like a client of the database port. @param connect Replaces connecting by port for a database
 *  without one. */
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
    // A lost connection also rejects its query.
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
      // After its first query, a read-only transaction can't be made writable.
      await client.query(`begin; call _undock.confine(); set transaction read only; ${before}select 1`)
      // The extended protocol accepts only one statement, so that a COMMIT can't be added.
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

/** A script has a result for each statement. */
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
