import type { AuthDeps } from '../deps.ts'
import type { Call } from '../http/call.ts'
import { deleteUser } from '../models/users.ts'

/** Runs a flow that creates an account and sends its owner a message, and deletes the account if sending fails.
 *  Upstream sends inside the transaction, we send after it.
 *  @param fresh The account, if the flow creates one. */
export async function withAccountRollback<T>(
  deps: AuthDeps,
  { requestId }: Call,
  fresh: { readonly id: string } | null,
  flow: () => Promise<T>,
): Promise<T> {
  try {
    return await flow()
  } catch (error) {
    if (fresh) {
      await deleteUser(deps.db, fresh.id).catch((reason: unknown) =>
        deps.log.warn('auth: an account whose owner was not reached could not be deleted', {
          requestId,
          reason: String(reason),
        }),
      )
    }
    throw error
  }
}
