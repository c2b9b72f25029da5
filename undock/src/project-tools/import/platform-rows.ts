// The imported parts of the platform's tables.

export const USERS = 'auth.users'
export const STORAGE_TABLES = ['storage.buckets', 'storage.objects'] as const

/** Tables whose rows come along with their users. Factors hold secrets. */
const OF_USERS = ['auth.identities', 'auth.mfa_factors'] as const
const FACTORS = 'auth.mfa_factors'

/** Tables of a user's own, in the order in which they are imported. */
export const tablesOfUsers = (isAnonymized: boolean): string[] =>
  OF_USERS.filter((table) => !(isAnonymized && table === FACTORS))

/** Expressions for columns that are never imported: tokens, and changes that wait for confirmation. */
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

/** Columns that an anonymized import leaves out as well. */
const NEVER_ANONYMIZED: typeof NEVER = { [USERS]: { encrypted_password: 'null' } }

/** The SQL that is read instead of a column; null when the column is read itself. */
export const insteadOf = (table: string, column: string, isAnonymized: boolean): string | null =>
  NEVER[table]?.[column] ?? (isAnonymized ? NEVER_ANONYMIZED[table]?.[column] : null) ?? null
