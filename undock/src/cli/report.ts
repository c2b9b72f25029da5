import { renderFault } from '../config/fault.ts'
import type { LogLine } from '../log-files.ts'
import type { Stack, StackEvent } from '../stack.ts'
import { statusValues } from './environment.ts'

/** One line for each thing a start does, on standard error: standard output belongs to results. */
export function tellEvent(event: StackEvent): void {
  console.error(`  ${eventText(event)}`)
}

function eventText(event: StackEvent): string {
  switch (event.kind) {
    case 'bootstrap':
      return 'preparing a fresh Postgres (once on this machine)'
    case 'omitted':
      return `left out: ${event.what}`
    case 'other-version':
      return 'warning: the data kept here was made by another version of undock, and lacks what is new in this one; `undock reset` begins anew from migrations and seed'
    case 'migration':
      return `applying ${event.path}`
    case 'seed':
      return `seeding from ${event.path}`
    case 'unmatched-seed':
      return `no seed file matches ${event.pattern}`
    case 'script-warning':
      return `warning: ${event.text}`
    case 'warning':
      return `warning: ${renderFault(event.warning)}`
  }
}

/** Warnings and errors of services, and what functions print; requests go to the log files only. */
export function showLine({ service, level, message, trace }: LogLine): void {
  if (level === 'info' && service !== 'functions') return
  console.error(`[${service}] ${message}${trace ? `: ${trace.split('\n', 1)[0]}` : ''}`)
}

export async function tellStarted(stack: Stack, since: number): Promise<void> {
  const took = performance.now() - since
  const memory = await stack.memory()
  console.error(`Ready in ${seconds(took)}, ${megabytes(memory.total)}${originText(stack)}`)
  console.error(`  ${partsText(stack.startTimes, memory.database)}\n\n${prettyStatus(stack)}`)
  if (stack.pending.length > 0) {
    console.error(
      `\n${stack.pending.length} migration(s) are not applied to the data kept here: ${stack.pending.map(({ path }) => path).join(', ')}\n` +
        `Apply them with \`npx supabase migration up --db-url ${stack.dbUrl}\`, or begin anew with \`undock reset\`.`,
    )
  }
}

/** What each part took, the longest first. Services share one process, so of them only the time is known. */
function partsText(times: Stack['startTimes'], databaseMemory: number | null): string {
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .map(([part, took]) => {
      const memory = part === 'database' && databaseMemory !== null ? `, ${megabytes(databaseMemory)}` : ''
      return `${part} ${duration(took)}${memory}`
    })
    .join(' · ')
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(2)} s`
const duration = (milliseconds: number): string =>
  milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : seconds(milliseconds)
const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`

const originText = ({ origin }: Stack): string =>
  ({ kept: ', with the data of last time', snapshot: ', from the snapshot of its migrations', migrated: '' })[origin]

export function prettyStatus(stack: Pick<Stack, 'url' | 'dbUrl' | 'mailUrl' | 'identity'>): string {
  const values = statusValues(stack)
  const rows: Array<[string, string | undefined]> = [
    ['API', values['api.url']],
    ['Database', values['db.url']],
    ['Mail', values['mailpit.url']],
    ['Functions', values['api.functions_url']],
    ['Publishable key', values['auth.publishable_key']],
    ['Secret key', values['auth.secret_key']],
  ]
  return rows
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${name.padEnd(16)} ${value}`)
    .join('\n')
}
