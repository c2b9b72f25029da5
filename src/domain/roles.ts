import type { Enums } from '../../supabase/functions/_shared/database.ts'
import { t } from '../lib/i18n/i18n.ts'

export type Role = Enums<'member_role'>

export const isRole = (name: string): name is Role => ['guest', 'reader', 'editor', 'owner'].includes(name)

export const roleLabel = (role: Role): string =>
  ({ guest: t('guest'), reader: t('reader'), editor: t('editor'), owner: t('owner') })[role]
