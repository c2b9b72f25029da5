import type { Transaction } from '../database/db.ts'
import type { AuthDb } from './auth-db.ts'
import type { AuthDeps } from './deps.ts'
import { type HookName, isFunctionHook } from './hooks.ts'

/** Runs a flow in which hooks of the project have a say. Where these are Postgres functions, flow and functions share one
 *  transaction, as upstream: a function reads the rows that the flow has just written, and where it fails nothing of
 *  the flow is left. An endpoint is asked outside of any: the embedded database would serve nobody else meanwhile.
 *  @param flow Gets the dependencies to use; those from outside would wait for the transaction's end. */
export function withHooks<T>(
  deps: AuthDeps,
  hooks: readonly HookName[],
  flow: (deps: AuthDeps) => Promise<T>,
): Promise<T> {
  if (!hooks.every((name) => isFunctionHook(deps.config, name))) return flow(deps)
  return deps.db.transaction((tx) => flow({ ...deps, db: joining(tx) }))
}

/** A transaction in the place of the database: what would open one of its own takes part in it. */
function joining(tx: Transaction): AuthDb {
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
