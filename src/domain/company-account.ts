import type { User } from '@supabase/supabase-js'

/** Whether the account is one of a company: the company signs it in, and keeps its address. */
export const isCompanyAccount = ({ app_metadata }: Pick<User, 'app_metadata'>): boolean =>
  String(app_metadata.provider).startsWith('sso:')
