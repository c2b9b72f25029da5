import { type Command, Option } from 'commander'
import { fullName } from './help.ts'

/** What undock is not installed with, and fetches when a project first needs it. */
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

/** Returns the action of a command, whose code is loaded when it runs, and which sets the exit code of undock. It receives the
 *  command's arguments, then its options together with those of the commands above it. */
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
export const name = () =>
  new Option('--name <name>', 'another backend of the project, with its own data and ports (default: UNDOCK_NAME)')
export const noSnapshot = () => new Option('--no-snapshot', 'keep no copy of the data for `undock undo`')
export const outputFormat = () =>
  new Option('-o, --output <format>', 'pretty for people, json for scripts')
    .choices(['pretty', 'json'])
    .default('pretty')
export const schema = () =>
  new Option('-s, --schema <names>', 'only these schemas, separated by commas (default: all of the project)')
    .argParser(collect)
    .default([])
export const collect = (value: string, previous: readonly string[]): string[] => [...previous, value]
