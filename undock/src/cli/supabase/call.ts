import type { ParseArgsConfig } from 'node:util'
import type { Backend } from '../arguments.ts'
import { findRunning } from '../running.ts'

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

export type Call = {
  /** Read lazily: some commands need no project. @throws {UsageError} outside of one. */
  readonly backend: Backend
  /** All words after `undock supabase`. */
  readonly words: readonly string[]
  readonly values: Values
  /** The URL of the database in the flags; null for the backend's own. */
  readonly address: string | null
  /** The arguments after the command's name. */
  readonly rest: readonly string[]
}

/** A command for which the Supabase CLI needs Docker and undock doesn't. */
export type Replacement = {
  readonly flags: NonNullable<ParseArgsConfig['options']>
  /** Works on any database with a URL. Without it, calls for another database go to the CLI. */
  readonly takesAddress?: boolean
  /** Decides itself what to do for other databases. */
  readonly takesAny?: boolean
  run(call: Call): Promise<number>
}

/** The kinds of flags. */
const TEXT = { type: 'string' } as const
const LIST = { type: 'string', multiple: true } as const
const SWITCH = { type: 'boolean' } as const
/** The flags for a database other than the local backend's. */
const ELSEWHERE = {
  remote: TEXT,
  linked: SWITCH,
  'db-url': TEXT,
  'project-id': TEXT,
  'project-ref': TEXT,
  password: { ...TEXT, short: 'p' },
}
/** The flags for a database; the local backend's is the default. */
const DATABASE = { ...ELSEWHERE, local: SWITCH }
const SCHEMA = { schema: { ...LIST, short: 's' } }
const FILE = { file: { ...TEXT, short: 'f' } }
const switches = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, SWITCH]))

/** undock's own: without it, deleted data is kept for `undock undo`. */
const NO_SNAPSHOT = { 'no-snapshot': SWITCH }
export const FLAGS = { TEXT, LIST, SWITCH, ELSEWHERE, DATABASE, SCHEMA, FILE, NO_SNAPSHOT, switches }
export const isWanted = (values: Values): boolean => values['no-snapshot'] !== true

/** The backend as options of an undock command. */
export const optionsOf = ({ workdir, name }: Backend) => ({ workdir, ...(name === null ? {} : { name }) })
/** The values of a repeatable option. */
export const list = (value: Values[string]): string[] => [value ?? []].flat().map(String)
/** The option of this name, if it has a value. */
export const text = <Name extends string>(name: Name, value: Values[string]): Partial<Record<Name, string>> =>
  typeof value === 'string' ? ({ [name]: value } as Record<Name, string>) : {}

/** Returns the same command for the running backend's database by URL, for which the CLI doesn't need Docker. */
export async function asRemote({ words, backend }: Call): Promise<readonly string[]> {
  const { dbUrl } = await findRunning(backend)
  return [...words.filter((word) => word !== '--local'), `--remote=${dbUrl}`]
}
