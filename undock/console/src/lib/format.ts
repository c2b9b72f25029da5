/** Parses a `bytea` as Postgres writes it, such as `\x00ff`, ignoring spaces; null if it isn't one. */
export function readBytes(text: string): Uint8Array<ArrayBuffer> | null {
  const hex = /^\\x((?:[0-9a-f]{2})*)$/i.exec(text.replaceAll(/\s/g, ''))?.[1]
  if (hex === undefined) return null
  const bytes = new Uint8Array(hex.length / 2)
  for (let n = 0; n < bytes.length; n++) bytes[n] = Number.parseInt(hex.slice(n * 2, n * 2 + 2), 16)
  return bytes
}

/** Formats bytes as a `bytea` literal. */
export const bytesLiteral = (bytes: Uint8Array): string =>
  `\\x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`

const numbers = new Intl.NumberFormat('en')
const timesOfDay = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

export const count = (value: number): string => numbers.format(value)

/** @param noun In the singular. */
export const counted = (value: number, noun: string, nouns = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : nouns}`

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`
  const [size, unit] =
    value < 1024 ** 2 ? [value / 1024, 'KB'] : value < 1024 ** 3 ? [value / 1024 ** 2, 'MB'] : [value / 1024 ** 3, 'GB']
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`
}

/** @param milliseconds */
export const duration = (milliseconds: number): string =>
  milliseconds < 10
    ? `${milliseconds.toFixed(1)} ms`
    : milliseconds < 1_000
      ? `${Math.round(milliseconds)} ms`
      : `${(milliseconds / 1_000).toFixed(2)} s`

/** @param iso ISO 8601 or Postgres' format. */
export const time = (iso: string | null | undefined): string => {
  const date = iso ? new Date(iso) : null
  return date && !Number.isNaN(date.getTime()) ? times.format(date) : '–'
}

const ages = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const AGES = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** Such as: 3 hours ago. @param iso ISO 8601 */
export function age(iso: string): string {
  const seconds = (Date.now() - Date.parse(iso)) / 1_000
  const [unit, length] = AGES.find((one) => seconds >= one[1]) ?? ['second', 1]
  return unit === 'second' ? 'just now' : ages.format(-Math.floor(seconds / length), unit)
}

/** With milliseconds. @param iso ISO 8601 */
export const timeOfDay = (iso: string): string => timesOfDay.format(new Date(iso))
