import type { User } from '@supabase/supabase-js'

/** Whether the account belongs to a company, which controls its sign-in and address. */
export const isCompanyAccount = ({ app_metadata }: Pick<User, 'app_metadata'>): boolean =>
  String(app_metadata.provider).startsWith('sso:')
