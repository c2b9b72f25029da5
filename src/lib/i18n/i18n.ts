import { messages as english } from 'virtual:messages/en'
import { type Messages, setupI18n } from '@lingui/core'
import type { CompiledMessage } from '@lingui/message-utils/compileMessage'

/** English texts are in the code, as ICU messages. Every other language has a catalogue, keyed by the English text. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

const CATALOGUES: Partial<Record<Language, () => Promise<{ messages: Messages }>>> = {
  de: () => import('virtual:messages/de'),
}

/** Compiles plain placeholders. Messages with plural forms are compiled by the build. */
export const compilePlaceholders = (text: string): CompiledMessage =>
  text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : [part]))

const i18n = setupI18n({ locale: 'en', messages: { en: english } })
i18n.setMessagesCompiler(compilePlaceholders)

/** The text in the chosen language, or in English where the catalogue lacks it.
 *  @param message English, in ICU's message format: "{count, plural, one {# file} other {# files}}". */
export const t = (message: string, values?: Record<string, string | number>): string => i18n._(message, values)

/** Marks a text of a table for the catalogues; it is translated where it is shown. */
export const msg = (message: string): string => message

/** The options of a table with their labels translated. */
export const translated = <Choice extends { label: string }>(choices: readonly Choice[]): Choice[] =>
  choices.map((choice) => ({ ...choice, label: t(choice.label) }))

/** The locale for dates and numbers: the person's own regional variety of the language on screen, if the browser names one. */
export function formattingLocale(preferred: readonly string[] = globalThis.navigator?.languages ?? []): string {
  return preferred.find((locale) => locale.split('-')[0] === i18n.locale) ?? i18n.locale
}

/** The first preferred language that the app has. @param preferred Language tags as browsers give them: "de-AT". */
export function pickLanguage(preferred: readonly string[]): Language {
  for (const locale of preferred) {
    const language = locale.split('-')[0]
    if (language === 'en' || language === 'de') return language
  }
  return 'en'
}

export const currentLanguage = (): string => i18n.locale

/** Loads a language's catalogue, then switches to it: it applies to everything rendered from then on. */
export async function switchLanguage(language: Language): Promise<void> {
  const catalogue = await CATALOGUES[language]?.()
  i18n.loadAndActivate({ locale: language, messages: catalogue?.messages ?? english })
  document.documentElement.lang = language
}
