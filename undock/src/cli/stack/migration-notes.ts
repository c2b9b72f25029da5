import type { MigrationState } from '../../database/migrations/state.ts'
import { withName } from '../arguments.ts'
import type { Running } from '../running.ts'

/** The migrations that a backend's database lacks, by their paths, and what is wrong with the others. */
export type MigrationReport = Pick<MigrationState, 'faults' | 'last' | 'doubled'> & {
  readonly pending: readonly string[]
  readonly late: readonly string[]
}

/** What a person is told about the migrations of a backend; nothing when the database has exactly those of the project.
 *  @param name The backend's name, for the commands that a note recommends. */
export function migrationNotes(
  { pending, faults }: Pick<MigrationReport, 'pending' | 'faults'>,
  name: string | null,
): string[] {
  const lacking =
    `${pending.length} migration(s) are not applied to the data kept here: ${pending.join(', ')}\n` +
    'Apply them with `undock migration up`.'
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
