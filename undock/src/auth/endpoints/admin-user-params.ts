import { z } from 'zod'
import { parseDuration } from '../../config/units.ts'
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

/** Parses a duration in Go's notation (`1h30m`) to milliseconds; null if missing, 0 for "none".
 *  @throws `validation_failed` */
export function banMilliseconds(duration: string): number | null {
  if (duration === '') return null
  if (duration === 'none') return 0
  const seconds = parseDuration(duration)
  // Go's durations end at 2^63 nanoseconds, about 292 years.
  if (seconds === undefined || seconds > 2 ** 63 / 1e9)
    throw authError('banDuration', [`time: invalid duration "${duration}"`])
  return seconds * 1000
}

export function bannedUntil(duration: string, now: Date): { banned_until?: Date | null } {
  const milliseconds = banMilliseconds(duration)
  if (milliseconds === null) return {}
  return { banned_until: milliseconds === 0 ? null : new Date(now.getTime() + milliseconds) }
}
