import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The major versions of PostgreSQL that undock runs. */
export const MAJORS = [15, 17, 18] as const

export type Major = (typeof MAJORS)[number]

/** The one whose programs are installed with undock. */
export const DEFAULT_MAJOR = 17

/** The major that runs for `[db] major_version`: the oldest one for those that are older. */
export function majorFor(configured: number): Major {
  if (configured <= 15) return 15
  return configured >= 18 ? 18 : DEFAULT_MAJOR
}

/** The major that made a data directory; null where there is none. */
export function majorOf(folder: string): Major | null {
  const file = join(folder, 'PG_VERSION')
  return existsSync(file) ? majorFor(Number.parseInt(readFileSync(file, 'utf8'), 10)) : null
}
