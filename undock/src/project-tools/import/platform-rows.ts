// The imported parts of the platform's tables.

export const USERS = 'auth.users'
export const STORAGE_TABLES = ['storage.buckets', 'storage.objects'] as const

/** Tables imported together with their users. Factors contain secrets. */
const OF_USERS = ['auth.identities', 'auth.mfa_factors'] as const
const FACTORS = 'auth.mfa_factors'

/** A user's tables, in import order. */
export const tablesOfUsers = (isAnonymized: boolean): string[] =>
  OF_USERS.filter((table) => !(isAnonymized && table === FACTORS))

/** Replacements for columns that are never imported: tokens and pending changes. */
const NEVER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [USERS]: {
    confirmation_token: "''",
    recovery_token: "''",
    email_change: "''",
    email_change_token_new: "''",
    email_change_token_current: "''",
    email_change_confirm_status: '0',
    phone_change: "''",
    phone_change_token: "''",
    reauthentication_token: "''",
  },
}

/** Columns that an anonymized import also omits. */
const NEVER_ANONYMIZED: typeof NEVER = { [USERS]: { encrypted_password: 'null' } }

/** Returns the SQL to read instead of a column; null for the column itself. */
export const insteadOf = (table: string, column: string, isAnonymized: boolean): string | null =>
  NEVER[table]?.[column] ?? (isAnonymized ? NEVER_ANONYMIZED[table]?.[column] : null) ?? null
