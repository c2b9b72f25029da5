import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../config/units.ts'

/** Parts that aren't installed with undock but fetched when a project first needs them. */
export const PART_NAMES = [
  'deno',
  'pglite',
  'images',
  's3',
  'nats',
  'mcp',
  'postgres-meta',
  'postgres-15',
  'postgres-17',
  'postgres-18',
  'postgis',
] as const

export type PartName = (typeof PART_NAMES)[number]

/** Returns a command's action, which is loaded when it runs and sets undock's exit code. It receives the command's arguments, then its own
 *  and inherited options. */
export type Run = (
  load: () => Promise<(...given: never[]) => number | Promise<number>>,
) => (...given: unknown[]) => Promise<void>

export function addCommand(parent: Command, name: string, description: string, options: readonly Option[]): Command {
  const command = parent
    .command(name)
    .description(`${description.charAt(0).toUpperCase()}${description.slice(1)}.`)
    .summary(description)
  for (const option of options) command.addOption(option)
  return command.showHelpAfterError(`See \`${fullName(command)} --help\`.`)
}

export const addGroup = (parent: Command, name: string, description: string): Command =>
  addCommand(parent, name, description, []).helpCommand(false)

export const workdir = () =>
  new Option(
    '--workdir <folder>',
    'the folder that contains supabase/ (default: the current one or its nearest parent)',
  )
const name = () =>
  new Option('--name <name>', 'another backend of the project, with its own data and ports (default: UNDOCK_NAME)')
/** The options that name a backend. */
export const backend = (): Option[] => [workdir(), name()]
/** A boolean option, off by default. */
export const flag = (name: string, description: string) => new Option(name, description).default(false)
/** An option that may be repeated. */
export const list = (name: string, description: string) => new Option(name, description).argParser(collect).default([])
export const sleepAfter = () =>
  new Option(
    '--sleep-after <duration>',
    'end its processes after this time without use, such as 30s, 10m or 1h (default: never); `undock proxy` wakes it',
  ).argParser((text: string) => {
    if ((parseDuration(text) ?? 0) > 0) return text
    throw new InvalidArgumentError('Enter a duration such as 30s, 10m or 1h.')
  })
export const yes = () => flag('--yes', 'do not ask')
export const noSnapshot = () => new Option('--no-snapshot', 'keep no copy of the data for `undock undo`')
export const outputFormat = () =>
  new Option('-o, --output <format>', 'pretty for people, json for scripts')
    .choices(['pretty', 'json'])
    .default('pretty')
export const portOption = (port: number) =>
  new Option('--port <port>', 'the port to listen on').argParser(portNumber).default(port)
export const schema = () =>
  list('-s, --schema <names>', 'only these schemas, separated by commas (default: all of the project)')
const collect = (value: string, previous: readonly string[]): string[] => [...previous, value]

function portNumber(value: string): number {
  const parsed = Number(value)
  if (!Number.isInteger(parsed) || parsed < 1 || parsed > 65_535)
    throw new InvalidArgumentError('Enter a number from 1 to 65535.')
  return parsed
}

export const examples = (...lines: readonly string[]): string =>
  `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}`

/** The description with the possible values and the default; a flag is off by default. */
export function optionDescription({ description, argChoices, defaultValue }: Option): string {
  const hasDefault = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  const notes = [argChoices?.join(', '), hasDefault && `default: ${defaultValue}`].filter(Boolean)
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description
}

/** Rewords the parser's errors as sentences, each with its suggestion on the same line. */
export const errorText = (text: string): string =>
  text
    .replace(/^error: unknown command '(.*?)'/, 'Unknown command "$1".')
    .replace(/^error: (.)/, (_match, first: string) => first.toUpperCase())
    .replace(/^Option '(.*?)' argument '(.*?)' is invalid\./, '"$2" is not a valid value for $1.')
    .replace(/^Option '(.*?)' argument missing/, 'Option $1 needs a value.')
    .replace(/\.?\n\((Did you mean .*\?)\)/, '. $1')

/** @returns for example "undock db diff". */
export const fullName = (command: Command): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
