import type { Socket } from 'node:net'
import { DatabaseError } from 'pg-protocol'
import { sql, statement } from '../../kernel/sql.ts'
import type { Db } from '../db.ts'
import type { EmbeddedEngine } from '../pglite/engine.ts'
import { decode, encodeScript } from '../protocol/exchange.ts'
import type { Session } from '../session.ts'
import { authenticate } from './authentication.ts'
import { encodeError, encodeNegotiation } from './backend-messages.ts'
import { type FrontendReader, ProtocolError, takeString } from './frontend-messages.ts'
import { acquireSession, sessionAs } from './session-lease.ts'
import { captureState, FRESH_SCRIPT, restoreScript, type SessionState } from './session-state.ts'

/** The one database that the engine has. */
const DATABASE = 'postgres'

const CANCEL_REQUEST = 80_877_102

/** A client that has logged in, with the state in which its session begins. */
export type StartedClient = {
  readonly processId: number
  readonly user: string
  /** The oid of the role. */
  readonly userId: number
  readonly state: SessionState
  readonly reported: ReadonlyMap<string, string>
}

export type StartupDeps = {
  readonly engine: EmbeddedEngine
  readonly db: Db
  readonly password: string
  /** The process id that the client gets. */
  readonly processId: number
  isFull(): boolean
  /** Handles a request to cancel the statement of a connection. */
  cancel(processId: number, secret: number): void
}

/** Handles a client from its startup packet to the end of its authentication.
 *  @returns null for a client that only asked to cancel a statement, or that has disconnected.
 *  @throws {RefusedClientError} for a client that is refused, after the reason was sent to it. */
export async function acceptStartup(
  reader: FrontendReader,
  socket: Socket,
  deps: StartupDeps,
): Promise<StartedClient | null> {
  const packet = await reader.startup()
  if (!packet) return null
  if (packet.code === CANCEL_REQUEST) {
    // There is no response, whether the request is valid or not.
    if (packet.body.length === 8) deps.cancel(packet.body.readInt32BE(0), packet.body.readInt32BE(4))
    return null
  }
  const refuse = (code: string, message: string): never => {
    socket.end(encodeError({ severity: 'FATAL', code, message }))
    throw new RefusedClientError(message)
  }
  const major = packet.code >>> 16
  if (major !== 3)
    return refuse('0A000', `unsupported frontend protocol ${major}.${packet.code & 0xffff}: server supports 3.0`)
  const parameters = readParameters(packet.body)
  const unknown = [...parameters.keys()].filter((name) => name.startsWith('_pq_.'))
  if ((packet.code & 0xffff) > 0 || unknown.length > 0) socket.write(encodeNegotiation(0, unknown))

  const user = parameters.get('user') ?? ''
  const database = parameters.get('database') || user
  if (user === '') return refuse('28000', 'no PostgreSQL user name specified in startup packet')
  if (deps.isFull()) return refuse('53300', 'sorry, too many clients already')
  if (!['', 'false', 'off', 'no', '0'].includes(parameters.get('replication') ?? ''))
    return refuse('0A000', 'replication connections are not supported by the embedded engine')
  const login = await authenticate(reader, socket, user, deps)
  if ('code' in login) return refuse(login.code, login.message)
  if (database !== DATABASE) return refuse('3D000', `database "${database}" does not exist`)
  try {
    return {
      processId: deps.processId,
      user,
      userId: login.id,
      ...(await beginSession(user, login.id, parameters, deps)),
    }
  } catch (error) {
    if (error instanceof DatabaseError) return refuse(error.code ?? 'XX000', error.message)
    throw error
  }
}

/** A client was refused, and the reason was sent to it. */
export class RefusedClientError extends Error {}

/** The parameters of a startup packet. @throws {ProtocolError} */
export function readParameters(body: Buffer): Map<string, string> {
  const parameters = new Map<string, string>()
  for (let at = body; at.length > 0 && at[0] !== 0; ) {
    const { text: name, rest } = takeString(at)
    const { text: value, rest: next } = takeString(rest)
    parameters.set(name, value)
    at = next
  }
  return parameters
}

const NOT_SETTINGS = ['user', 'database', 'replication', 'options']

/** Settings that change the session's user: they are made as the user itself, so that Postgres checks the right to do so. */
const isIdentity = ([name]: readonly [string, string]): boolean => name === 'role' || name === 'session_authorization'

/** Creates the state of a new connection of this user, reads it, and resets the session. */
async function beginSession(
  user: string,
  userId: number,
  parameters: ReadonlyMap<string, string>,
  { engine, db, processId }: StartupDeps,
) {
  const settingsOfRole = await roleSettings(db, user)
  const requestedSettings = [
    ...readOptions(parameters.get('options') ?? ''),
    ...[...parameters].filter(([name]) => !NOT_SETTINGS.includes(name) && !name.startsWith('_pq_.')),
  ]
  const lease = await acquireSession(engine)
  const session = sessionAs(lease, userId, processId)
  try {
    const set = async ({ exchange }: Pick<Session, 'exchange'>, state: SessionState) =>
      state.length > 0 && decode(await exchange(encodeScript(restoreScript(state))))
    // An invalid setting of the role must not prevent its login.
    await set(
      lease,
      settingsOfRole.filter((one) => !isIdentity(one)),
    ).catch(() => undefined)
    await set(lease, [['session_authorization', user]])
    await set(session, settingsOfRole.filter(isIdentity)).catch(() => undefined)
    await set(session, requestedSettings)
    return await captureState(
      session,
      [...settingsOfRole, ...requestedSettings].map(([name]) => name).filter((name) => name.includes('.')),
    )
  } finally {
    await lease.exchange(encodeScript(FRESH_SCRIPT)).catch(() => undefined)
    lease.release()
  }
}

/** The settings that ALTER ROLE … SET and ALTER DATABASE … SET make for this user; later ones take precedence. */
async function roleSettings(db: Db, user: string): Promise<[string, string][]> {
  const { rows } = await db.query<{ setting: string }>(
    statement(sql`
      select unnest(s.setconfig) as setting
      from pg_catalog.pg_db_role_setting s
      left join pg_catalog.pg_roles r on r.oid = s.setrole
      left join pg_catalog.pg_database d on d.oid = s.setdatabase
      where (s.setrole = 0 or r.rolname = ${user}) and (s.setdatabase = 0 or d.datname = ${DATABASE})
      order by s.setrole <> 0, s.setdatabase <> 0`),
  )
  return rows.map(({ setting }) => {
    const equals = setting.indexOf('=')
    return [setting.slice(0, equals), setting.slice(equals + 1)]
  })
}

/** Parses `-c name=value`, `-cname=value` and `--name=value`, with `\ ` for a space in a value. */
function readOptions(options: string): [string, string][] {
  const words = options.match(/(?:\\.|\S)+/g)?.map((word) => word.replaceAll(/\\(.)/g, '$1')) ?? []
  const assignments = words.flatMap((word, index) => {
    if (word === '-c') return words[index + 1] ?? []
    if (word.startsWith('-c')) return word.slice(2)
    return word.startsWith('--') ? word.slice(2) : []
  })
  return assignments.map((assignment) => {
    const equals = assignment.indexOf('=')
    if (equals < 1) throw new ProtocolError(`invalid command-line argument for server process: ${assignment}`)
    return [assignment.slice(0, equals).replaceAll('-', '_'), assignment.slice(equals + 1)]
  })
}
