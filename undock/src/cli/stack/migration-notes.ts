import type { MigrationState } from '../../database/migrations/state.ts'
import { withName } from '../arguments.ts'
import type { Running } from '../running.ts'

/** The paths of a database's pending migrations, and problems with the others. */
export type MigrationReport = Pick<MigrationState, 'faults' | 'last' | 'doubled'> & {
  readonly pending: readonly string[]
  readonly late: readonly string[]
}

/** Returns notes about a backend's migrations; none if the database has exactly the project's.
 *  @param name The backend's name, for the commands in the notes. */
export function migrationNotes(
  { pending, faults }: Pick<MigrationReport, 'pending' | 'faults'>,
  name: string | null,
): string[] {
  const lacking = `${pending.length} pending migration(s): ${pending.join(', ')}\nApply them with \`undock migration up\`.`
  return [...(pending.length > 0 ? [lacking] : []), ...faults].map((note) => withName(note, name))
}

/** Asks a running backend. */
export async function readMigrationReport({
  url,
  identity,
}: Pick<Running, 'url' | 'identity'>): Promise<MigrationReport> {
  const response = await fetch(`${url}/undock/v1/migrations`, { headers: { apikey: identity.keys.secret } })
  if (!response.ok) throw new Error(`${url}/undock/v1/migrations: ${response.status} ${await response.text()}`)
  return (await response.json()) as MigrationReport
}
