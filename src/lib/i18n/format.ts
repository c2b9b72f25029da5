import { formattingLocale, msg, t } from './i18n.ts'

/** Cached: creating a formatter takes as long as fifty uses, and each card of a shelf uses two. */
function perLocale<Format>(make: (locale: string) => Format): () => Format {
  const formats = new Map<string, Format>()
  return () => {
    const locale = formattingLocale()
    const known = formats.get(locale) ?? make(locale)
    formats.set(locale, known)
    return known
  }
}

const wholeFormat = perLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }))
const tenthsFormat = perLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }))
const relativeFormat = perLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))

const UNITS = [msg('KB'), msg('MB'), msg('GB')]

/** Formats a size: "512 bytes", "1.5 MB". 1 MB is 1024 KB, so that the limit of 52,428,800 bytes reads "50 MB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return t('{count, plural, one {# byte} other {# bytes}}', { count: bytes })
  let [value, unit] = [bytes / 1024, 0]
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${(value >= 100 ? wholeFormat() : tenthsFormat()).format(value)} ${t(UNITS[unit] ?? '')}`
}

const STEPS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** Formats "3 days ago", "in 2 hours", or "now" within a minute. */
export function formatRelativeTime(moment: string | number | Date, now: number = Date.now()): string {
  const seconds = (new Date(moment).getTime() - now) / 1000
  const format = relativeFormat()
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit)
  }
  return t('now')
}

export const formatDate = (moment: string | number | Date): string =>
  new Date(moment).toLocaleDateString(formattingLocale(), { year: 'numeric', month: 'short', day: 'numeric' })

/** Formats a day's heading: "Saturday, 3 January 2026". */
export const formatDay = (moment: string | number | Date): string =>
  new Date(moment).toLocaleDateString(formattingLocale(), { dateStyle: 'full' })

export const formatTime = (moment: string | number | Date): string =>
  new Date(moment).toLocaleTimeString(formattingLocale(), { timeStyle: 'short' })

export const formatMoment = (moment: string | number | Date): string =>
  new Date(moment).toLocaleString(formattingLocale(), { dateStyle: 'medium', timeStyle: 'medium' })

/** Formats "3", or "99+" above 99. */
export const countUpTo = (most: number, count: number): string =>
  count > most ? `${formatNumber(most)}+` : formatNumber(count)

export const formatNumber = (value: number): string => value.toLocaleString(formattingLocale())

/** Returns the name of a language, such as "German" for "de". */
export const languageName = (code: string): string =>
  new Intl.DisplayNames(formattingLocale(), { type: 'language' }).of(code) ?? code
