export const MAIL_LANGUAGES = ['en', 'de', 'ar'] as const
export type MailLanguage = (typeof MAIL_LANGUAGES)[number]

/** Returns the language of a stored setting, which users may have set to anything. */
export const mailLanguage = (locale: unknown): MailLanguage => MAIL_LANGUAGES.find((known) => known === locale) ?? 'en'

export const direction = (language: MailLanguage): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr')

/** Isolates a name, title or address within a sentence of another direction. Not used in English and German mails: some
 *  spam filters dislike invisible characters in a subject. */
export const isolated = (text: string): string => `\u2068${text}\u2069`

const LOCALES: Record<MailLanguage, string> = { en: 'en-GB', de: 'de-DE', ar: 'ar' }

/** Formats the day in UTC: "30 November 2026". */
export const longDate = (moment: string, language: MailLanguage): string =>
  new Date(moment).toLocaleDateString(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' })
