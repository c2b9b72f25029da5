import { t } from '../../lib/i18n/i18n.ts'

export const roleChoices = () => [
  { value: 'reader' as const, label: t('Reader: reads and comments') },
  { value: 'editor' as const, label: t('Editor: also adds and changes') },
  { value: 'owner' as const, label: t('Owner: also manages members') },
]

export const grantChoices = () => [
  { value: 'reader' as const, label: t('Can read and comment') },
  { value: 'editor' as const, label: t('Can also add and change') },
]
