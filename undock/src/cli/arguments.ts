import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { UserError } from '../kernel/service-error.ts'
import { isBackendName, NAME_RULE } from '../runtime/place/state-folders.ts'

/** The command line is invalid. */
export class UsageError extends UserError {}

/** The folder that contains `supabase/`: the given one, otherwise the nearest one at or above the current folder.
 *  @throws {UsageError} if there is none. */
export function findWorkdir(named: string | undefined): string {
  const folder = nearestProject(named)
  if (folder !== null) return folder
  throw new UsageError(
    named === undefined
      ? 'No supabase folder found here or in a parent folder. Create one with `npx undock init`, or choose a project with --workdir.'
      : `${resolve(named)} has no supabase folder. Create one with \`npx undock init\`.`,
  )
}

/** Like `findWorkdir`, but null when there is none. */
export function nearestProject(named: string | undefined): string | null {
  const isProject = (folder: string): boolean => existsSync(join(folder, 'supabase'))
  if (named !== undefined) return isProject(resolve(named)) ? resolve(named) : null
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    if (isProject(folder)) return folder
    if (folder === dirname(folder)) return null
  }
}

/** The formats of `supabase status`. */
export const STATUS_FORMATS = ['pretty', 'env', 'json', 'toml', 'yaml'] as const
export type StatusFormat = (typeof STATUS_FORMATS)[number]

/** The values of the options of `supabase db advisors`. */
export const ADVISOR_TYPES = ['all', 'security', 'performance'] as const
export const ADVISOR_LEVELS = ['info', 'warn', 'error'] as const
export const FAILING_LEVELS = ['none', ...ADVISOR_LEVELS] as const

export type BackendOptions = { readonly workdir?: string; readonly name?: string }
/** @property yes Whether to skip the confirmation. */
export type ConfirmedOptions = BackendOptions & { readonly yes: boolean }

/** Which backend of which project. @property name Null for the project's default backend. */
export type Backend = { readonly workdir: string; readonly name: string | null }

/** Returns the backend that a command works on: `--name`, else UNDOCK_NAME, else the default one.
 *  @throws {UsageError} */
export function findBackend({ workdir, name = process.env.UNDOCK_NAME || undefined }: BackendOptions): Backend {
  if (name !== undefined && !isBackendName(name))
    throw new UsageError(`"${name}" is not a valid name for a backend: ${NAME_RULE}.`)
  return { workdir: findWorkdir(workdir), name: name ?? null }
}

/** Example: the backend "two" of /home/me/project. */
export const backendText = ({ workdir, name }: Backend): string =>
  `the backend ${name === null ? '' : `"${name}" `}of ${workdir}`

/** Adds `--name` to the commands in a text, which would otherwise use the project's default backend. */
export const withName = (text: string, name: string | null): string =>
  name === null
    ? text
    : text.replaceAll(/`undock (?:start|stop|reset|undo|branch \w+|snapshot \w+|migration \w+)/g, `$& --name ${name}`)

/** Splits a repeatable option's values at commas. */
export const splitNames = (values: readonly string[]): string[] =>
  values
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter(Boolean)
