import { messages as english } from 'virtual:messages/en'
import { type Messages, setupI18n } from '@lingui/core'
import type { CompiledMessage } from '@lingui/message-utils/compileMessage'

/** English texts are in the code. Other languages have catalogs, keyed by English text or backend `error.CODE`. */
const LANGUAGES = { en: 'English', de: 'Deutsch', ar: 'العربية' } as const
export type Language = keyof typeof LANGUAGES

/** Languages by their own names, for people who can't read the current one. */
export const LANGUAGE_CHOICES = (Object.keys(LANGUAGES) as Language[]).map((value) => ({
  value,
  label: LANGUAGES[value],
}))

const CATALOGUES: Partial<Record<Language, () => Promise<Messages>>> = {
  de: () => import('virtual:messages/de').then(({ messages }) => messages),
  ar: () => import('./arabic.ts').then(({ arabicMessages }) => arabicMessages(formattingLocale(undefined, 'ar'))),
}

/** Compiles plain placeholders. The build compiles plural forms. */
export const compilePlaceholders = (text: string): CompiledMessage =>
  text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : [part]))

const i18n = setupI18n({ locale: 'en', messages: { en: english } })
i18n.setMessagesCompiler(compilePlaceholders)

type Values = Record<string, string | number>

/** Returns a text in the current language, with English as fallback.
 *  @param message English, in ICU format: "{count, plural, one {# file} other {# files}}".
 *  @param values Numbers are localized. Words of the opposite direction are isolated (U+2068), which keeps punctuation
 *  on the right side. */
export function t(message: string, values: Values = {}): string {
  const shown: Values = {}
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'number') shown[name] = message.includes(`{${name},`) ? value : withoutGroups(value)
    else shown[name] = runsOtherWay(value) ? `\u2068${value}\u2069` : value
  }
  return i18n._(message, shown)
}

/** Looks up a key that isn't an English text; undefined if it's missing. */
export const lookUp = (key: string, values?: Values): string | undefined =>
  key in i18n.messages ? t(key, values) : undefined

/** Marks a constant's text for extraction; translate it where it's shown. */
export const msg = (message: string): string => message

export const translated = <Choice extends { label: string }>(choices: readonly Choice[]): Choice[] =>
  choices.map((choice) => ({ ...choice, label: t(choice.label) }))

/** Returns the locale for dates and numbers: the browser's regional variety of the current language, if any. */
export function formattingLocale(
  preferred: readonly string[] = globalThis.navigator?.languages ?? [],
  language: string = i18n.locale,
): string {
  return preferred.find((locale) => locale.split('-')[0] === language) ?? language
}

/** Formats a number that isn't a quantity, such as a page: "1250", not "1,250". */
export const withoutGroups = (value: number): string => value.toLocaleString(formattingLocale(), { useGrouping: false })

/** Returns the first preferred language that the app supports. @param preferred Language tags: "de-AT". */
export function pickLanguage(preferred: readonly string[]): Language {
  for (const locale of preferred) {
    const language = locale.split('-')[0]
    if (language && language in LANGUAGES) return language as Language
  }
  return 'en'
}

export const currentLanguage = (): Language => i18n.locale as Language

export const isRightToLeft = (): boolean => i18n.locale === 'ar'

const runsOtherWay = (text: string): boolean => (isRightToLeft() ? /[a-z]/i : /[\u0590-\u08ff]/).test(text)

/** Loads a catalog and switches to the language. */
export async function switchLanguage(language: Language): Promise<void> {
  const catalogue = await CATALOGUES[language]?.()
  const locales = formattingLocale(undefined, language)
  i18n.loadAndActivate({ locale: language, locales, messages: catalogue ?? english })
  document.documentElement.lang = language
  document.documentElement.dir = isRightToLeft() ? 'rtl' : 'ltr'
}
