import { messages as catalogue } from 'virtual:messages/ar'
import type { Messages } from '@lingui/core'

/** Converts the digits of the Arabic catalog, which has European digits as used in the Maghreb, to those that numbers
 *  get in the locale.
 *  @param locale Determines the digits: "ar-EG". */
export function arabicMessages(locale: string): Messages {
  const digits = Array.from({ length: 10 }, (_, digit) => digit.toLocaleString(locale))
  return Object.fromEntries(
    Object.entries(catalogue).map(([english, text]) => [
      english,
      typeof text === 'string' ? text.replaceAll(/\d/g, (digit) => digits[Number(digit)] ?? digit) : text,
    ]),
  )
}
