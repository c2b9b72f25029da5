import { messages as english } from 'virtual:messages/en'
import { type Messages, setupI18n } from '@lingui/core'
import type { CompiledMessage } from '@lingui/message-utils/compileMessage'

/** English texts are in the code, as ICU messages. Every other language has a catalogue, keyed by the English text, and for what the
 *  backend says by `error.CODE`. */
const LANGUAGES = { en: 'English', de: 'Deutsch', ar: 'العربية' } as const
export type Language = keyof typeof LANGUAGES

/** Each language under its own name, for those who cannot read the one on screen. */
export const LANGUAGE_CHOICES = (Object.keys(LANGUAGES) as Language[]).map((value) => ({
  value,
  label: LANGUAGES[value],
}))

const CATALOGUES: Partial<Record<Language, () => Promise<Messages>>> = {
  de: () => import('virtual:messages/de').then(({ messages }) => messages),
  ar: () => import('./arabic.ts').then(({ arabicMessages }) => arabicMessages(formattingLocale(undefined, 'ar'))),
}

/** Compiles plain placeholders. Messages with plural forms are compiled by the build. */
export const compilePlaceholders = (text: string): CompiledMessage =>
  text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : [part]))

const i18n = setupI18n({ locale: 'en', messages: { en: english } })
i18n.setMessagesCompiler(compilePlaceholders)

type Values = Record<string, string | number>

/** The text in the chosen language, or in English where the catalogue lacks it.
 *  @param message English, in ICU's message format: "{count, plural, one {# file} other {# files}}".
 *  @param values Numbers get the digits of the locale. Words of a script that runs the other way are isolated (U+2068): the
 *  punctuation next to them would otherwise move to their other side. */
export function t(message: string, values: Values = {}): string {
  const shown: Values = {}
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'number') shown[name] = message.includes(`{${name},`) ? value : withoutGroups(value)
    else shown[name] = runsOtherWay(value) ? `\u2068${value}\u2069` : value
  }
  return i18n._(message, shown)
}

/** The text of the catalogue under a key that is no English text; undefined where it has none. */
export const lookUp = (key: string, values?: Values): string | undefined =>
  key in i18n.messages ? t(key, values) : undefined

/** Marks a text of a table for the catalogues; it is translated where it is shown. */
export const msg = (message: string): string => message

/** The options of a table with their labels translated. */
export const translated = <Choice extends { label: string }>(choices: readonly Choice[]): Choice[] =>
  choices.map((choice) => ({ ...choice, label: t(choice.label) }))

/** The locale for dates and numbers: the person's own regional variety of the language on screen, if the browser names one. */
export function formattingLocale(
  preferred: readonly string[] = globalThis.navigator?.languages ?? [],
  language: string = i18n.locale,
): string {
  return preferred.find((locale) => locale.split('-')[0] === language) ?? language
}

/** A number that is no quantity, such as that of a page: "1250", not "1,250". */
export const withoutGroups = (value: number): string => value.toLocaleString(formattingLocale(), { useGrouping: false })

/** The first preferred language that the app has. @param preferred Language tags as browsers give them: "de-AT". */
export function pickLanguage(preferred: readonly string[]): Language {
  for (const locale of preferred) {
    const language = locale.split('-')[0]
    if (language && language in LANGUAGES) return language as Language
  }
  return 'en'
}

export const currentLanguage = (): Language => i18n.locale as Language

/** Whether the language on screen is written from right to left. */
export const isRightToLeft = (): boolean => i18n.locale === 'ar'

const runsOtherWay = (text: string): boolean => (isRightToLeft() ? /[a-z]/i : /[\u0590-\u08ff]/).test(text)

/** Loads a language's catalogue, then switches to it: it applies to everything rendered from then on. */
export async function switchLanguage(language: Language): Promise<void> {
  const catalogue = await CATALOGUES[language]?.()
  const locales = formattingLocale(undefined, language)
  i18n.loadAndActivate({ locale: language, locales, messages: catalogue ?? english })
  document.documentElement.lang = language
  document.documentElement.dir = isRightToLeft() ? 'rtl' : 'ltr'
}
