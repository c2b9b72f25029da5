/** The languages that mails are written in. */
export const MAIL_LANGUAGES = ['en', 'de', 'ar'] as const
export type MailLanguage = (typeof MAIL_LANGUAGES)[number]

/** The language of a stored setting, which its owner may have set to anything. */
export const mailLanguage = (locale: unknown): MailLanguage => MAIL_LANGUAGES.find((known) => known === locale) ?? 'en'

/** The direction in which the language is written. */
export const direction = (language: MailLanguage): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr')

/** A name, a title or an address within a sentence of another direction. Mails in English and German do without: invisible characters
 *  in a subject are a sign of spam to some filters. */
export const isolated = (text: string): string => `\u2068${text}\u2069`

const LOCALES: Record<MailLanguage, string> = { en: 'en-GB', de: 'de-DE', ar: 'ar' }

/** "30 November 2026": the day in UTC. */
export const longDate = (moment: string, language: MailLanguage): string =>
  new Date(moment).toLocaleDateString(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' })
