import type { Column } from '../catalog.ts'
import type { Kind } from './values.ts'

// Detects columns with personal data by their names, then by their values.

/** Words of a name, such as `billing_address` or `userEmail`, in lower case. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Names of data about personal data. */
const ABOUT =
  / (?:id|ids|at|count|type|kind|status|state|verified|confirmed|enabled|required|sent|template|format|algorithm|length|limit|expiry|expires) $/
const PERSONAL_IDS = / (?:tax|passport|national|vat) id /

/** Tried in this order. */
const PATTERNS: readonly (readonly [Kind, RegExp])[] = [
  ['number', PERSONAL_IDS],
  ['e-mail', / (?:e ?mails?|mail|mail address) /],
  ['token', / (?:passwords?|passwd|pwd|passphrase|tokens?|secrets?|otp|totp|credentials?|cookies?) /],
  ['token', / (?:api|access|private) ?keys? /],
  ['phone number', / (?:phones?|phone ?number|mobile|tel|telephone|fax|cell|whatsapp|msisdn) /],
  ['IP address', / (?:ips?|ip ?address|ipv4|ipv6|remote addr) /],
  ['number', / (?:ssn|social security|iban|passport|zip|zip ?code|post ?code|postal ?code|plz) /],
  ['number', / (?:tax|national|card|account|licen[cs]e|passport) number /],
  ['date', / (?:dob|births?|birth ?(?:day|date)) /],
  ['street', / (?:streets?|address|addresses|addr|address ?line) /],
  ['city', / (?:city|town) /],
  ['URL', / (?:avatars?|photo|picture|website|homepage|linkedin|twitter|facebook|instagram) /],
  ['name', / (?:first|last|sur|family|given|middle|fore|full|display|nick|user|maiden) ?name /],
  ['name', / (?:contact|author|owner|customer|recipient) name | (?:nick|handle) /],
]

const PEOPLE =
  / (?:users?|profiles?|people|persons?|customers?|clients?|contacts?|members?|employees?|staff|patients?|students?|teachers?|authors?|guests?|leads?|subscribers?|attendees?|participants?|identities) /

/** The kind of a column by its name.
 *  @param table The name of its table: `name` is a person's in `customers`, not in `products`. */
export function kindOfName(name: string, table = ''): Kind | null {
  const words = ` ${wordsOf(name).join(' ')} `
  if (ABOUT.test(words) && !PERSONAL_IDS.test(words)) return null
  const match = PATTERNS.find(([, pattern]) => pattern.test(words))
  if (match) return match[0]
  return words === ' name ' && PEOPLE.test(` ${wordsOf(table).join(' ')} `) ? 'name' : null
}

const VALUE_PATTERNS: readonly (readonly [Kind, RegExp])[] = [
  ['e-mail', /^[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>]+$/],
  ['phone number', /^\+\d[\d ()./-]{6,20}$/],
  ['IP address', /^\d{1,3}(?:\.\d{1,3}){3}$/],
  ['number', /^[A-Z]{2}\d{2}[A-Z\d]{11,30}$|^\d{3}-\d{2}-\d{4}$/],
  ['token', /^eyJ[\w-]+\.eyJ[\w-]+\.|^(?:sk|pk|rk|ghp|gho|xox[bap]|sb_secret|whsec|\$2[aby]\$\d\d\$|\$argon2)/],
]

/** Longer values are free text. */
const MAX_VALUE_LENGTH = 400

/** The kind of a single value. */
export const kindOfValue = (value: string): Kind | null =>
  value.length > MAX_VALUE_LENGTH ? null : (VALUE_PATTERNS.find(([, pattern]) => pattern.test(value))?.[0] ?? null)

/** The kind of at least half of the values. */
export function kindOfValues(values: readonly string[]): Kind | null {
  const filled = values.filter((value) => value !== '')
  const match = VALUE_PATTERNS.find(
    ([, pattern]) => filled.filter((value) => pattern.test(value)).length * 2 >= filled.length,
  )
  return filled.length === 0 ? null : (match?.[0] ?? null)
}

/** Kinds by the category of a column's type. Columns of other types are left as they are. */
const KINDS_OF_TYPE: Readonly<Record<string, readonly Kind[]>> = {
  N: ['phone number', 'number'],
  D: ['date'],
  I: ['IP address'],
  uuid: ['token'],
  bytea: ['token'],
}

export const isText = ({ category }: Pick<Column, 'category'>): boolean => category === 'S'
export const isJson = ({ base }: Pick<Column, 'base'>): boolean => base === 'json' || base === 'jsonb'

/** Whether a column can have fakes of a kind. */
export const canHave = (column: Column, kind: Kind): boolean =>
  isText(column) ||
  isJson(column) ||
  (KINDS_OF_TYPE[column.base] ?? KINDS_OF_TYPE[column.category] ?? []).includes(kind)

/** The kind of a column that the project lists as personal; null when its type has no fakes. */
export function kindOfNamedColumn(column: Column, table: string): Kind | null {
  const kind = kindOfName(column.name, table) ?? 'text'
  if (canHave(column, kind)) return kind
  return KINDS_OF_TYPE[column.base]?.[0] ?? KINDS_OF_TYPE[column.category]?.at(-1) ?? null
}
