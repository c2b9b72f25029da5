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
      await Promise.all(stale.map((queryKey) => queryClient().invalidateQueries({ queryKey })))
    },
  })
