import { formattingLocale, t } from '../../lib/i18n/i18n.ts'
import type { Rule } from './queries.ts'

/** What a rule does, as sentences. */
export function termsOf(
  rule: Pick<Rule, 'trash_after' | 'trash_unit' | 'basis' | 'field' | 'trash_days' | 'keep_years'>,
): string[] {
  const terms = []
  if (rule.trash_after !== null) terms.push(moving(rule.trash_after, rule))
  terms.push(t('In the trash: kept for {time}.', { time: span(rule.trash_days, 'day') }))
  if (rule.keep_years !== null)
    terms.push(t('Not deleted for good in the first {time}.', { time: span(rule.keep_years, 'year') }))
  return terms
}

function moving(after: number, { trash_unit, basis, field }: Pick<Rule, 'trash_unit' | 'basis' | 'field'>): string {
  const time = span(after, trash_unit)
  if (basis === 'added') return t('To the trash: {time} after a document was added.', { time })
  if (basis === 'changed') return t('To the trash: {time} after the last change of a document.', { time })
  return field
    ? t('To the trash: {time} after the date in “{field}”.', { time, field: field.name })
    : t('To the trash: never, because the field with the date was deleted.')
}

/** "7 years". Browsers have these words: every plural form of a text of our own is in what each page loads first. */
const span = (count: number, unit: string): string =>
  new Intl.NumberFormat(formattingLocale(), { style: 'unit', unit, unitDisplay: 'long', useGrouping: false }).format(
    count,
  )
