import type { Transaction } from '../../database/db.ts'
import type { AuthDeps } from '../deps.ts'
import type { AuthDb } from '../models/auth-db.ts'
import { type HookName, isFunctionHook } from './hooks.ts'

/** Runs a flow that calls the project's hooks. If these are Postgres functions, they share the flow's transaction, as
 *  upstream: they see its rows, and their failure rolls it back. HTTP endpoints are called outside any transaction,
 *  which would otherwise block the embedded database's only session.
 *  @param flow Receives the dependencies to use; the outer ones would wait for the transaction to end. */
export function withHooks<T>(
  deps: AuthDeps,
  hooks: readonly HookName[],
  flow: (deps: AuthDeps) => Promise<T>,
): Promise<T> {
  if (!hooks.every((name) => isFunctionHook(deps.config, name))) return flow(deps)
  return deps.db.transaction((tx) => flow({ ...deps, db: transactionAsDb(tx) }))
}

/** Runs everything in one transaction; nested transactions join it. */
function transactionAsDb(tx: Transaction): AuthDb {
  return {
    query: (statement) => tx.query(statement),
    async run(statements) {
      const results = []
      for (const statement of statements) results.push(await tx.query(statement))
      return results
    },
    transaction: (work) => work(tx),
  }
}
