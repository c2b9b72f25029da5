import { encodeMessage, type Frame, readFrames } from '../protocol/frames.ts'
import { refusalStatement } from '../statements/refusal.ts'
import { firstWords, splitStatements } from '../statements/split-statements.ts'

const QUERY = 'Q'.charCodeAt(0)
const PARSE = 'P'.charCodeAt(0)
const MENTIONS_DATABASE = /\bdatabase\b/i

/** PGlite answers CREATE DATABASE and DROP DATABASE with success and makes nothing that a client could connect to. Replaces messages
 *  that contain such a statement by a statement that fails. */
export function refuseOtherDatabases(bytes: Uint8Array): Uint8Array {
  const frames = [...readFrames(bytes)]
  const replaced = frames.map(replacement)
  if (replaced.every((one) => one === null)) return bytes
  return Buffer.concat(
    frames.map(({ type, body }, index) => replaced[index] ?? encodeMessage(String.fromCharCode(type), body)),
  )
}

function replacement({ type, body }: Frame): Buffer | null {
  if (type !== QUERY && type !== PARSE) return null
  // A Parse begins with the statement's name.
  const start = type === PARSE ? body.indexOf(0) + 1 : 0
  const command = refusedCommand(body.toString('utf8', start, body.indexOf(0, start)))
  if (command === undefined) return null
  if (type === QUERY) return encodeMessage('Q', refusalOf(command))
  return encodeMessage('P', body.subarray(0, start), refusalOf(command), NO_TYPES)
}

/** The number of a statement's parameter types: none. */
const NO_TYPES = Buffer.alloc(2)

function refusedCommand(script: string): string | undefined {
  if (!MENTIONS_DATABASE.test(script)) return undefined
  const commands = splitStatements(script).map(({ text }) => firstWords(text, 2).join(' ').toUpperCase())
  return commands.find((one) => one === 'CREATE DATABASE' || one === 'DROP DATABASE')
}

const refusalOf = (command: string): string =>
  refusalStatement({
    code: '0A000',
    message: `${command} does not work on PGlite, which has one database, "postgres"`,
    hint: 'Set engine = "native" in supabase/undock.toml: the native PostgreSQL has more databases.',
  })
