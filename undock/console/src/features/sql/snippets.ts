import { queryOptions } from '@tanstack/react-query'
import type { Snippet, SnippetList } from '../../../../src/console/snippets.ts'
import { api } from '../../lib/api.ts'

export type { Snippet, SnippetList }

/** Milliseconds between checks of a file, because other programs change it too. */
const LOOK_AGAIN = 5_000

export const snippetsQuery = queryOptions({
  queryKey: ['snippets'],
  queryFn: ({ signal }) => api<SnippetList>('/snippets', { signal }),
})

export const snippetQuery = (name: string) =>
  queryOptions({
    queryKey: ['snippet', name],
    queryFn: ({ signal }) => api<Snippet>(pathOf(name), { signal }),
    refetchInterval: LOOK_AGAIN,
  })

/** @param version Of the text before the change; null for a new file. @throws {ApiError} 409 if the file has another version. */
export const saveSnippet = (name: string, text: string, version: string | null): Promise<Snippet> =>
  api(pathOf(name), { method: 'PUT', body: { text, version } })

export const renameSnippet = (name: string, to: string): Promise<void> =>
  api(pathOf(name), { method: 'PATCH', body: { name: to } })

export const removeSnippet = (name: string): Promise<void> => api(pathOf(name), { method: 'DELETE' })

const pathOf = (name: string): string => `/snippets/${encodeURIComponent(name)}`
