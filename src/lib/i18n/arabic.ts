import { messages as catalogue } from 'virtual:messages/ar'
import type { Messages } from '@lingui/core'

/** The Arabic catalogue. Its texts have European digits, as readers in the Maghreb have them; in Cairo and Riyadh numbers come with
 *  digits of their own, and the texts must not differ from them.
 *  @param locale Decides on the digits: "ar-EG". */
export function arabicMessages(locale: string): Messages {
  const digits = Array.from({ length: 10 }, (_, digit) => digit.toLocaleString(locale))
  return Object.fromEntries(
    Object.entries(catalogue).map(([english, text]) => [
      english,
      typeof text === 'string' ? text.replaceAll(/\d/g, (digit) => digits[Number(digit)] ?? digit) : text,
    ]),
  )
}
