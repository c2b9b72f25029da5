/** The Prefer header (RFC 7240); null for preferences without a valid value. */
export type Preferences = {
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates' | null
  readonly representation: 'representation' | 'minimal' | 'headers-only' | null
  readonly count: 'exact' | 'planned' | 'estimated' | null
  readonly transaction: 'commit' | 'rollback' | null
  readonly missing: 'default' | 'null' | null
  readonly handling: 'strict' | 'lenient' | null
  /** A name or offset, even if unknown to Postgres. */
  readonly timezone: string | null
  readonly maxAffected: number | null
  readonly invalid: readonly string[]
}

const VALUES = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  return: ['representation', 'minimal', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  tx: ['commit', 'rollback'],
  missing: ['default', 'null'],
  handling: ['strict', 'lenient'],
} as const
const TIMEZONE = 'timezone='
const MAX_AFFECTED = 'max-affected='

export type PreferenceOptions = {
  readonly allowTransaction: boolean
}

/** Uses each preference's first valid value. Postgres checks the time zone. */
export function parsePreferences(header: string | null, { allowTransaction }: PreferenceOptions): Preferences {
  const preferences = header === null ? [] : header.split(',').map((preference) => preference.trim())
  const pick = <K extends keyof typeof VALUES>(name: K): (typeof VALUES)[K][number] | null => {
    for (const preference of preferences) {
      const value = VALUES[name].find((known) => preference === `${name}=${known}`)
      if (value !== undefined) return value
    }
    return null
  }
  const valueAfter = (prefix: string): string | null =>
    preferences.find((preference) => preference.startsWith(prefix))?.slice(prefix.length) ?? null
  const isKnown = (preference: string): boolean =>
    Object.entries(VALUES).some(([name, values]) => values.some((value) => preference === `${name}=${value}`)) ||
    preference.startsWith(TIMEZONE) ||
    preference.startsWith(MAX_AFFECTED)
  const affected = valueAfter(MAX_AFFECTED) ?? ''
  return {
    resolution: pick('resolution'),
    representation: pick('return'),
    count: pick('count'),
    transaction: allowTransaction ? pick('tx') : null,
    missing: pick('missing'),
    handling: pick('handling'),
    timezone: valueAfter(TIMEZONE),
    maxAffected: /^\s*-?\d+\s*$/.test(affected) ? Number(affected) : null,
    invalid: preferences.filter((preference) => !isKnown(preference)),
  }
}

/** Returns Preference-Applied, in PostgREST's order, or null. */
export function preferenceApplied(applied: Omit<Preferences, 'invalid'>): string | null {
  const parts = [
    applied.resolution && `resolution=${applied.resolution}`,
    applied.missing && `missing=${applied.missing}`,
    applied.representation && `return=${applied.representation}`,
    applied.count && `count=${applied.count}`,
    applied.transaction && `tx=${applied.transaction}`,
    applied.handling && `handling=${applied.handling}`,
    applied.timezone && `timezone=${applied.timezone}`,
    applied.handling === 'strict' && applied.maxAffected !== null && `max-affected=${applied.maxAffected}`,
  ].filter(Boolean)
  return parts.length === 0 ? null : parts.join(', ')
}

export const wantsCount = ({ count }: Preferences): boolean => count === 'exact' || count === 'estimated'
export const wantsPlannedCount = ({ count }: Preferences): boolean => count === 'planned' || count === 'estimated'
