import { MutationCache, mutationOptions, type QueryClient, type QueryKey } from '@tanstack/react-query'

export type MutationDefinition<Variables, Result> = {
  mutationFn: (variables: Variables) => PromiseLike<Result>
  /** Queries to invalidate once it has settled, successfully or not. */
  invalidates?: (variables: Variables) => readonly QueryKey[]
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: { invalidates?(variables: unknown): readonly QueryKey[] }
  }
}

/** Defines a mutation and the queries that it affects. Runs even if the browser is offline: the backend may be local,
 *  and otherwise the person should see the failure. */
export const defineMutation = <Result, Variables = void>({
  mutationFn,
  invalidates,
}: MutationDefinition<Variables, Result>) =>
  mutationOptions({
    networkMode: 'always',
    mutationFn: async (variables: Variables) => await mutationFn(variables),
    ...(invalidates ? { meta: { invalidates } } : {}),
  })

/** Waits for an answer of Auth or Storage. @throws its error. */
export async function orThrow(answer: PromiseLike<{ error: Error | null }>): Promise<void> {
  const { error } = await answer
  if (error) throw error
}

/** Invalidates each mutation's queries. It stays pending until visible ones are refetched. */
export const createMutationCache = (queryClient: () => QueryClient): MutationCache =>
  new MutationCache({
    onSettled: async (_data, _error, variables, _result, { meta }) => {
      const stale = meta?.invalidates?.(variables) ?? []
      await Promise.all(stale.map((queryKey) => invalidateWithPending(queryClient(), queryKey)))
    },
  })

/** Invalidates queries, including pending first fetches, which may lack the change and aren't refetched by
 *  invalidation.
 *  @returns a promise that resolves when queries with data have been refetched. */
export function invalidateWithPending(queryClient: QueryClient, queryKey: QueryKey): Promise<void> {
  for (const { state, promise, queryKey: one } of queryClient.getQueryCache().findAll({ queryKey })) {
    if (state.data !== undefined || state.fetchStatus === 'idle') continue
    const again = () => queryClient.invalidateQueries({ queryKey: one, exact: true })
    void promise?.then(again, () => {})
  }
  return queryClient.invalidateQueries({ queryKey })
}
