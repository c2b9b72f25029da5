import { MutationCache, mutationOptions, type QueryClient, type QueryKey } from '@tanstack/react-query'

export type MutationDefinition<Variables, Result> = {
  mutationFn: (variables: Variables) => Promise<Result>
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
    mutationFn: (variables: Variables) => mutationFn(variables),
    ...(invalidates ? { meta: { invalidates } } : {}),
  })

/** Invalidates each mutation's queries. It stays pending until visible ones are refetched. */
export const createMutationCache = (queryClient: () => QueryClient): MutationCache =>
  new MutationCache({
    onSettled: async (_data, _error, variables, _result, { meta }) => {
      const stale = meta?.invalidates?.(variables) ?? []
      await Promise.all(stale.map((queryKey) => queryClient().invalidateQueries({ queryKey })))
    },
  })
