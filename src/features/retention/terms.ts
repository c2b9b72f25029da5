import { formattingLocale, t } from '../../lib/i18n/i18n.ts'
import type { Rule } from './queries.ts'

export function termsOf(
  rule: Pick<Rule, 'trash_after' | 'trash_unit' | 'basis' | 'field' | 'trash_days' | 'keep_years'>,
): string[] {
  const terms = []
  if (rule.trash_after !== null) terms.push(moving(rule.trash_after, rule))
  terms.push(t('In the trash: kept for {time}.', { time: span(rule.trash_days, 'day') }))
  if (rule.keep_years !== null)
    terms.push(t('Can’t be permanently deleted in the first {time}.', { time: span(rule.keep_years, 'year') }))
  return terms
}

function moving(after: number, { trash_unit, basis, field }: Pick<Rule, 'trash_unit' | 'basis' | 'field'>): string {
  const time = span(after, trash_unit)
  if (basis === 'added') return t('Moved to the trash {time} after a document was added.', { time })
  if (basis === 'changed') return t('Moved to the trash {time} after a document’s last change.', { time })
  return field
    ? t('Moved to the trash {time} after the date in “{field}”.', { time, field: field.name })
    : t('Never moved to the trash: the field with the date was deleted.')
}

/** Formats "7 years" with Intl: plural forms of our own would be loaded with every page. */
const span = (count: number, unit: string): string =>
  new Intl.NumberFormat(formattingLocale(), { style: 'unit', unit, unitDisplay: 'long', useGrouping: false }).format(
    count,
  )
