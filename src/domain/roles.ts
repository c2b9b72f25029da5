import type { Enums } from '../../supabase/functions/_shared/database.ts'
import { Constants } from '../../supabase/functions/_shared/database.ts'
import { t } from '../lib/i18n/i18n.ts'

export type Role = Enums<'member_role'>

/** In ascending order. */
const ROLES = Constants.public.Enums.member_role

export const isRole = (name: string): name is Role => ROLES.some((role) => role === name)

export const isAtLeast = (role: Role | undefined, least: Role): boolean =>
  role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(least)

export const roleLabel = (role: Role): string =>
  ({ guest: t('guest'), reader: t('reader'), editor: t('editor'), owner: t('owner') })[role]
