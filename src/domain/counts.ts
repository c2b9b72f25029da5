import { t } from '../lib/i18n/i18n.ts'

export const countDocuments = (count: number): string =>
  t('{count, plural, one {# document} other {# documents}}', { count })

export const countPages = (count: number): string => t('{count, plural, one {# page} other {# pages}}', { count })
