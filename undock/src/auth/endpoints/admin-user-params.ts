import { z } from 'zod'
import { authError } from '../errors.ts'
import { metadata, text } from '../models/params.ts'

export const AdminUser = z.object({
  id: text,
  aud: text,
  role: text,
  email: text,
  phone: text,
  password: z.string().nullish(),
  password_hash: text,
  email_confirm: z.boolean().nullish(),
  phone_confirm: z.boolean().nullish(),
  user_metadata: metadata,
  app_metadata: metadata,
  ban_duration: text,
})
export type AdminUser = z.infer<typeof AdminUser>

const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 36e5 }

/** Parses a duration in Go's notation (`1h30m`) to milliseconds; null if missing, 0 for "none".
 *  @throws `validation_failed` */
export function banMilliseconds(duration: string): number | null {
  if (duration === '') return null
  if (duration === 'none' || duration === '0') return 0
  const parts = [...duration.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g)]
  const isWhole = parts.map(([part]) => part).join('') === duration.replace(/^[+-]/, '')
  if (parts.length === 0 || !isWhole) throw authError('banDuration', [`time: invalid duration "${duration}"`])
  const sum = parts.reduce((total, [, amount = '', unit = '']) => total + Number(amount) * (UNITS[unit] ?? 0), 0)
  // Go's durations end at 2^63 nanoseconds, about 292 years.
  if (sum > 2 ** 63 / 1e6) throw authError('banDuration', [`time: invalid duration "${duration}"`])
  return duration.startsWith('-') ? -sum : sum
}

export function bannedUntil(duration: string, now: Date): { banned_until?: Date | null } {
  const milliseconds = banMilliseconds(duration)
  if (milliseconds === null) return {}
  return { banned_until: milliseconds === 0 ? null : new Date(now.getTime() + milliseconds) }
}
