import { formattingLocale, t } from '../../lib/i18n/i18n.ts'
import type { Approval } from './queries.ts'

export const listed = (names: readonly string[]): string =>
  new Intl.ListFormat(formattingLocale(), { type: 'conjunction' }).format(names) || t('Someone')

/** Approvers in addition to the owners. */
export const approversOf = ({ approvers }: Pick<Approval, 'approvers'>): string =>
  approvers.length === 0
    ? t('the owners of the library')
    : new Intl.ListFormat(formattingLocale(), { type: 'disjunction' }).format(approvers)
