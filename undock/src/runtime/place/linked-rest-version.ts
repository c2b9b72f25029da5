import { join } from 'node:path'
import type { ConfigWarning } from '../../config/fault.ts'
import { readOptional } from '../../config/files.ts'
import { POSTGREST_MAJOR } from '../../rest/version.ts'

const FILE = 'supabase/.temp/rest-version'

/** Warns when the hosted project runs another major version of PostgREST than the Data API here behaves like. `supabase link`
 *  writes that version, and `supabase start` takes it.
 *  @param workdir The folder that holds `supabase/`.
 *  @returns null for the same version, and for a project that is not linked. */
export function linkedRestWarning(workdir: string): ConfigWarning | null {
  const version = /^v?(\d+)[\d.]*/.exec(readOptional(join(workdir, FILE))?.trim() ?? '')
  if (!version || Number(version[1]) === POSTGREST_MAJOR) return null
  const message = `the linked project runs PostgREST ${version[0].replace(/^v/, '')}; the Data API here behaves like PostgREST ${POSTGREST_MAJOR}`
  return { file: FILE, line: undefined, key: '', message }
}
