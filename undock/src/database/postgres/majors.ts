import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const MAJORS = [15, 17, 18] as const

export type Major = (typeof MAJORS)[number]

export const DEFAULT_MAJOR = 17

/** Returns the major to run for `[db] major_version`; older versions run the oldest. */
export function majorFor(configured: number): Major {
  if (configured <= 15) return 15
  return configured >= 18 ? 18 : DEFAULT_MAJOR
}

export function majorOf(folder: string): Major | null {
  const file = join(folder, 'PG_VERSION')
  return existsSync(file) ? majorFor(Number.parseInt(readFileSync(file, 'utf8'), 10)) : null
}
