import type { Db, TransactionOptions } from './db.ts'

export const ENGINE_USER = 'supabase_admin'

/** User of the project's scripts and clients; not a superuser. */
export const PROJECT_USER = 'postgres'

/** Returns the same database with the project's rights, for our own work on tables where a project can add triggers,
 *  defaults and views: those must not run as a superuser. Settings that name a role or a user are kept. */
export function asProjectUser(db: Db): Db {
  const own = <T extends TransactionOptions>(options: T): T =>
    options.settings?.role === undefined && options.settings?.session_authorization === undefined
      ? { ...options, settings: settingsWith(options.settings) }
      : options
  return {
    ...db,
    async query(one) {
      const [result] = await db.run({ settings: OWN, statements: [one] })
      return result as never
    },
    run: (batch) => db.run(own(batch)),
    transaction: (options, work) => db.transaction(own(options), work),
  }
}

const OWN = { session_authorization: PROJECT_USER }

const settingsWith = (settings: TransactionOptions['settings']) => (settings ? { ...settings, ...OWN } : OWN)
