import { messages as english } from 'virtual:messages/en'
import { type Messages, setupI18n } from '@lingui/core'
import type { CompiledMessage } from '@lingui/message-utils/compileMessage'

/** English stands in the code itself, as ICU messages; every other language is a catalogue from English to it. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

const CATALOGUES: Partial<Record<Language, () => Promise<{ messages: Messages }>>> = {
  de: () => import('virtual:messages/de'),
}

/** Plain holes are read here; what has forms of a number comes compiled from the build. */
export const withHoles = (text: string): CompiledMessage =>
  text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : [part]))

const i18n = setupI18n({ locale: 'en', messages: { en: english } })
i18n.setMessagesCompiler(withHoles)

/** The text in the language that was chosen; what its catalogue does not have appears in English.
 *  @param message English, in ICU's message format: "{count, plural, one {# file} other {# files}}". */
export const t = (message: string, values?: Record<string, string | number>): string => i18n._(message, values)

/** Marks a text that stands in a table and is translated where it is shown. */
export const msg = (message: string): string => message

/** Choices of a table, with their labels as they are shown. */
export const translated = <Choice extends { label: string }>(choices: readonly Choice[]): Choice[] =>
  choices.map((choice) => ({ ...choice, label: t(choice.label) }))

/** What dates and numbers are written by: the person's own variety of the language on screen, where they named one. */
export function formattingLocale(wished: readonly string[] = globalThis.navigator?.languages ?? []): string {
  return wished.find((locale) => locale.split('-')[0] === i18n.locale) ?? i18n.locale
}

/** The first of the wished languages that there is. @param wished Tags as browsers give them: "de-AT". */
export function pickLanguage(wished: readonly string[]): Language {
  for (const locale of wished) {
    const language = locale.split('-')[0]
    if (language === 'en' || language === 'de') return language
  }
  return 'en'
}

export const currentLanguage = (): string => i18n.locale

/** Switches the language of everything that is drawn from now on; its catalogue is fetched first. */
export async function speak(language: Language): Promise<void> {
  const catalogue = await CATALOGUES[language]?.()
  i18n.loadAndActivate({ locale: language, messages: catalogue?.messages ?? english })
  document.documentElement.lang = language
}
