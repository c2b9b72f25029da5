import type { Call } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { deleteUser } from './users.ts'

/** Runs a flow that makes an account and sends its owner a message. Where the message cannot be sent the account goes
 *  again: upstream sends inside the transaction, we after it.
 *  @param fresh The account that the flow makes, if it makes one. */
export async function orNoAccount<T>(
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
