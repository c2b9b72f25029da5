/** The languages that mails are written in. */
export const MAIL_LANGUAGES = ['en', 'de'] as const
export type MailLanguage = (typeof MAIL_LANGUAGES)[number]

/** The language of a stored setting, which its owner may have set to anything. */
export const mailLanguage = (locale: unknown): MailLanguage => MAIL_LANGUAGES.find((known) => known === locale) ?? 'en'

/** "30 November 2026": the day in UTC. */
export const longDate = (moment: string, language: MailLanguage): string =>
  new Date(moment).toLocaleDateString(language === 'de' ? 'de-DE' : 'en-GB', { dateStyle: 'long', timeZone: 'UTC' })
