import type { Socket } from 'node:net'
import { DatabaseError } from 'pg-protocol'
import { sql, statement } from '../../kernel/sql.ts'
import type { Db } from '../db.ts'
import { ENGINE_USER } from '../engine/engine-user.ts'
import { decode, encodeScript } from '../engine/exchange.ts'
import type { Engine } from '../session.ts'
import { authenticate } from './authentication.ts'
import { encodeError, encodeNegotiation } from './backend.ts'
import { type FrontendReader, ProtocolViolation, type StartupPacket, takeString } from './frontend.ts'
import { holdSession } from './lease.ts'
import { captureState, FRESH_SCRIPT, restoreScript, type SessionState } from './session-state.ts'

/** The one database that the engine has. */
const DATABASE = 'postgres'

const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
const CANCEL_REQUEST = 80_877_102

/** A client that may go on: who it is and how its session begins. */
export type Greeted = {
  readonly user: string
  readonly state: SessionState
  readonly reported: ReadonlyMap<string, string>
}

export type Greeter = { readonly engine: Engine; readonly db: Db; readonly password: string; isFull(): boolean }

/** Takes a client from its first byte to the end of authentication.
 *  @returns null for one that only asked to cancel, or that has left.
 *  @throws {Refusal} for one that is sent away, after having been told why. */
export async function greet(reader: FrontendReader, socket: Socket, greeter: Greeter): Promise<Greeted | null> {
  const packet = await readStartup(reader, socket)
  if (!packet) return null
  const refuse = (code: string, message: string): never => {
    socket.end(encodeError({ severity: 'FATAL', code, message }))
    throw new Refusal(message)
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
  if (greeter.isFull()) return refuse('53300', 'sorry, too many clients already')
  if (!['', 'false', 'off', 'no', '0'].includes(parameters.get('replication') ?? ''))
    return refuse('0A000', 'replication connections are not supported by the embedded engine')
  const refusal = await authenticate(reader, socket, user, greeter)
  if (refusal) return refuse(refusal.code, refusal.message)
  if (database !== DATABASE) return refuse('3D000', `database "${database}" does not exist`)
  try {
    return { user, ...(await beginSession(user, parameters, greeter)) }
  } catch (error) {
    if (error instanceof DatabaseError) return refuse(error.code ?? 'XX000', error.message)
    throw error
  }
}

/** A client was sent away; it has been told. */
export class Refusal extends Error {}

/** Without certificates there is no encryption to offer; clients that insist on it say so themselves. */
async function readStartup(reader: FrontendReader, socket: Socket): Promise<StartupPacket | null> {
  for (;;) {
    const packet = await reader.startup()
    // A running statement cannot be cancelled in PGlite; asking for it has no answer in any case.
    if (!packet || packet.code === CANCEL_REQUEST) return null
    if (packet.code !== SSL_REQUEST && packet.code !== GSS_REQUEST) return packet
    socket.write('N')
  }
}

function readParameters(body: Buffer): Map<string, string> {
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

/** Makes the session that a new connection of this user would have, reads it off, and leaves the engine as it was. */
async function beginSession(user: string, parameters: ReadonlyMap<string, string>, { engine, db }: Greeter) {
  const ofRole = await roleSettings(db, user)
  const asked = [
    ...readOptions(parameters.get('options') ?? ''),
    ...[...parameters].filter(([name]) => !NOT_SETTINGS.includes(name) && !name.startsWith('_pq_.')),
  ]
  const identity: SessionState = user === ENGINE_USER ? [] : [['session_authorization', user]]
  const lease = await holdSession(engine)
  try {
    const set = async (state: SessionState) =>
      state.length > 0 && decode(await lease.exchange(encodeScript(restoreScript(state))))
    // A setting of the role that no longer holds must not lock the role out.
    await set(ofRole).catch(() => undefined)
    await set([...asked, ...identity])
    return await captureState(
      lease,
      [...ofRole, ...asked].map(([name]) => name).filter((name) => name.includes('.')),
    )
  } finally {
    await lease.exchange(encodeScript(FRESH_SCRIPT)).catch(() => undefined)
    lease.release()
  }
}

/** What ALTER ROLE … SET and ALTER DATABASE … SET say for this user, the stronger later. */
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

/** `-c name=value`, `-cname=value` and `--name=value`, with `\ ` for a blank within a value. */
function readOptions(options: string): [string, string][] {
  const words = options.match(/(?:\\.|\S)+/g)?.map((word) => word.replaceAll(/\\(.)/g, '$1')) ?? []
  const assignments = words.flatMap((word, index) => {
    if (word === '-c') return words[index + 1] ?? []
    if (word.startsWith('-c')) return word.slice(2)
    return word.startsWith('--') ? word.slice(2) : []
  })
  return assignments.map((assignment) => {
    const equals = assignment.indexOf('=')
    if (equals < 1) throw new ProtocolViolation(`invalid command-line argument for server process: ${assignment}`)
    return [assignment.slice(0, equals).replaceAll('-', '_'), assignment.slice(equals + 1)]
  })
}
