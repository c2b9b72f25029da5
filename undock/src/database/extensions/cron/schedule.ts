export type Schedule =
  | { readonly kind: 'seconds'; readonly every: number }
  | {
      readonly kind: 'crontab'
      readonly minutes: ReadonlySet<number>
      readonly hours: ReadonlySet<number>
      readonly days: ReadonlySet<number>
      readonly months: ReadonlySet<number>
      readonly weekdays: ReadonlySet<number>
      /** `$`: the last day of the month. */
      readonly lastDay: boolean
      /** Whether day of month or weekday suffices when both are restricted (crontab(5)). */
      readonly anyOf: boolean
    }
  | { readonly kind: 'reboot' }

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ')
const NAMED = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

/** Parses a schedule; null if it's invalid. @see citusdata/pg_cron src/entry.c */
export function parseSchedule(text: string): Schedule | null {
  const line = text.trim().toLowerCase()
  const seconds = /^([1-9]|[1-5]\d)\s+seconds?$/.exec(line)
  if (seconds) return { kind: 'seconds', every: Number(seconds[1]) }
  if (line === '@reboot' || line === '@restart') return { kind: 'reboot' }
  const fields = (NAMED.get(line) ?? line).split(/\s+/)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  if (fields.length !== 5) return null
  const minutes = readField(minute, { lowest: 0, highest: 59 })
  const hours = readField(hour, { lowest: 0, highest: 23 })
  const lastDay = day === '$'
  const days = lastDay ? new Set<number>() : readField(day, { lowest: 1, highest: 31 })
  const months = readField(month, { lowest: 1, highest: 12, names: MONTHS })
  const weekdays = readField(weekday, { lowest: 0, highest: 7, names: WEEKDAYS })
  if (!minutes || !hours || !days || !months || !weekdays) return null
  if (weekdays.has(7)) weekdays.add(0)
  const anyOf = !day.startsWith('*') && !weekday.startsWith('*')
  return { kind: 'crontab', minutes, hours, days, months, weekdays, lastDay, anyOf }
}

type FieldRange = {
  readonly lowest: number
  readonly highest: number
  readonly names?: readonly string[]
}

function readField(text: string, { lowest, highest, names = [] }: FieldRange): Set<number> | null {
  const numberOf = (word: string): number => {
    const named = names.indexOf(word)
    return named === -1 ? (/^\d+$/.test(word) ? Number(word) : Number.NaN) : named + lowest
  }
  const found = new Set<number>()
  for (const part of text.split(',')) {
    const [range = '', step] = part.split('/')
    const [from = '', to] = range === '*' ? [String(lowest), String(highest)] : range.split('-')
    const start = numberOf(from)
    const end = to === undefined ? start : numberOf(to)
    // As in pg_cron, a single number can't have a step.
    if (step !== undefined && to === undefined) return null
    const by = step === undefined ? 1 : /^\d+$/.test(step) ? Number(step) : 0
    if (!(start >= lowest && end <= highest && start <= end && by >= 1 && by <= highest)) return null
    for (let value = start; value <= end; value += by) found.add(value)
  }
  return found
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
/** Days: the next 29 February is at most eight years away. */
const HORIZON = 8 * 366

/** Returns the first due time after `after`, or null. Intervals count from the epoch, the same on all nodes. */
export function nextTime(schedule: Schedule, after: Date): Date | null {
  if (schedule.kind === 'reboot') return null
  if (schedule.kind === 'seconds') {
    const interval = schedule.every * SECOND
    return new Date((Math.floor(after.getTime() / interval) + 1) * interval)
  }
  const begin = Math.floor(after.getTime() / MINUTE) * MINUTE + MINUTE
  const firstDay = Math.floor(begin / DAY) * DAY
  for (let day = 0; day <= HORIZON; day += 1) {
    const midnight = firstDay + day * DAY
    if (!isDay(schedule, new Date(midnight))) continue
    for (const hour of ordered(schedule.hours)) {
      for (const minute of ordered(schedule.minutes)) {
        const time = midnight + (hour * 60 + minute) * MINUTE
        if (time >= begin) return new Date(time)
      }
    }
  }
  return null
}

const ordered = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b)

function isDay(schedule: Extract<Schedule, { kind: 'crontab' }>, day: Date): boolean {
  if (!schedule.months.has(day.getUTCMonth() + 1)) return false
  const isLast = new Date(day.getTime() + DAY).getUTCDate() === 1
  const byDate = schedule.lastDay ? isLast : schedule.days.has(day.getUTCDate())
  const byWeekday = schedule.weekdays.has(day.getUTCDay())
  return schedule.anyOf ? byDate || byWeekday : byDate && byWeekday
}
