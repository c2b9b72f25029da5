import { MutationCache, mutationOptions, type QueryClient, type QueryKey } from '@tanstack/react-query'

export type MutationDefinition<Variables, Result> = {
  mutationFn: (variables: Variables) => Promise<Result>
  /** The keys of the queries whose answers it changes. They are invalidated when it has settled, whether it succeeded or not. */
  invalidates?: (variables: Variables) => readonly QueryKey[]
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: { invalidates?(variables: unknown): readonly QueryKey[] }
  }
}

/** One definition a mutation: what it does, and which queries it makes stale. It is tried at once, whatever the browser says of the
 *  network: the backend may be on this machine, and without it a person hears of the failure. */
export const defineMutation = <Result, Variables = void>({
  mutationFn,
  invalidates,
}: MutationDefinition<Variables, Result>) =>
  mutationOptions({
    networkMode: 'always',
    mutationFn: (variables: Variables) => mutationFn(variables),
    ...(invalidates ? { meta: { invalidates } } : {}),
  })

/** The cache that carries out `invalidates`. A mutation stays pending until the queries on screen have been fetched again. */
export const createMutationCache = (queryClient: () => QueryClient): MutationCache =>
  new MutationCache({
    onSettled: async (_data, _error, variables, _result, { meta }) => {
      const stale = meta?.invalidates?.(variables) ?? []
      await Promise.all(stale.map((queryKey) => queryClient().invalidateQueries({ queryKey })))
    },
  })
