import type { Transaction } from '../../database/db.ts'
import type { AuthDeps } from '../deps.ts'
import type { AuthDb } from '../models/auth-db.ts'
import { type HookName, isFunctionHook } from './hooks.ts'

/** Runs a flow that calls hooks of the project. Where these are Postgres functions, flow and functions share one
 *  transaction, as upstream: a function reads the rows that the flow has just written, and its failure rolls back the
 *  whole flow. HTTP endpoints are called outside of any transaction: the embedded database has one session and could
 *  answer nobody else in the meantime.
 *  @param flow Gets the dependencies to use; the outer ones would wait for the transaction to end. */
export function withHooks<T>(
  deps: AuthDeps,
  hooks: readonly HookName[],
  flow: (deps: AuthDeps) => Promise<T>,
): Promise<T> {
  if (!hooks.every((name) => isFunctionHook(deps.config, name))) return flow(deps)
  return deps.db.transaction((tx) => flow({ ...deps, db: transactionAsDb(tx) }))
}

/** A database that runs everything in one transaction; nested transactions join it. */
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
