import pg from 'pg'
import { UserError } from '../../kernel/service-error.ts'
import { connectionTo } from '../../kernel/url.ts'

/** The import failed; the local database is unchanged. */
export class ImportError extends UserError {}

/** Formats of values as text: exact, and the same on both sides. Set for one transaction, because behind a pooler a session setting would
 *  affect the source's other clients. */
export const TEXT_SETTINGS = `set local datestyle = 'ISO, YMD'; set local intervalstyle = postgres;
  set local extra_float_digits = 3; set local bytea_output = hex; set local search_path = ''`

/** Opens the source database: one read-only transaction with a single snapshot. `row_security = off` turns a policy that would hide rows
 *  into an error. @throws {ImportError} if the connection fails, or the server doesn't make the transaction read-only. */
export async function openSource(url: string): Promise<pg.Client> {
  const client = await connect(url)
  try {
    await client.query('begin transaction isolation level repeatable read, read only')
    await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
      set local row_security = off; ${TEXT_SETTINGS}`)
    await requireReadOnly(client)
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}

async function connect(url: string): Promise<pg.Client> {
  const address = withEncryption(url)
  try {
    // A second protection against writes, which poolers ignore or refuse.
    return await connectWith(address, '-c default_transaction_read_only=on').catch((error) => {
      if (isRefusedParameter(error)) return connectWith(address, undefined)
      throw error
    })
  } catch (error) {
    // The driver's message contains host and user, never the password.
    const reason = error instanceof Error ? error.message : String(error)
    const remedy = reason.includes('does not support SSL')
      ? '. To connect without SSL, add sslmode=disable to its URL'
      : ''
    throw new ImportError(`Couldn't connect to the source: ${reason}${remedy}`)
  }
}

/** Connections to other machines are encrypted unless the URL says otherwise. The driver interprets sslmode like libpq.
 *  @see https://www.postgresql.org/docs/current/libpq-ssl.html
 *  @throws {ImportError} */
export function withEncryption(url: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new ImportError(
      'The URL of the source must start with postgresql://, with special characters percent-encoded, such as %40 for @.',
    )
  const address = new URL(url)
  const { searchParams: parameters } = address
  if (!parameters.has('sslmode') && !parameters.has('ssl')) {
    if (isLoopback(new pg.Client(url).host)) return url
    parameters.set('sslmode', 'require')
  }
  parameters.set('uselibpqcompat', 'true')
  return address.href
}

/** Whether a host or a socket's folder is on this machine. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|\/.*)$/.test(host)

async function connectWith(url: string, options: string | undefined): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionTo(url), application_name: 'undock import', options })
  // A connection in use reports the error to its query.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** PgBouncer: unsupported startup parameter. */
const isRefusedParameter = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '08P01'

/** A pooler may have changed the statement, so this checks the transaction itself. */
async function requireReadOnly(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ only: string; level: string }>(
    "select current_setting('transaction_read_only') as only, current_setting('transaction_isolation') as level",
  )
  const { only, level } = rows[0] ?? {}
  if (only !== 'on' || level !== 'repeatable read')
    throw new ImportError('The source did not open a read-only transaction, so nothing was read from it.')
}
