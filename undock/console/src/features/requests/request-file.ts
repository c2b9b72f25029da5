import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { harOf } from '../../../../src/timeline/har.ts'
import { saveFile } from '../../lib/browser.ts'
import type { RequestTree } from './queries.ts'

/** The fields that the screens need; the rest is shown unchecked. */
const Span = z.looseObject({ kind: z.string(), start: z.number(), duration: z.number(), error: z.nullable(z.string()) })
const Tree = z.looseObject({
  id: z.string(),
  time: z.string(),
  method: z.string(),
  path: z.string(),
  service: z.string(),
  status: z.number(),
  duration: z.number(),
  caller: z.nullable(z.looseObject({ role: z.string(), claims: z.record(z.string(), z.unknown()) })),
  headers: z.record(z.string(), z.string()),
  spans: z.array(Span),
  get children() {
    return z.array(Tree)
  },
})
const SavedFile = z.object({ undock: z.literal(1), requests: z.array(Tree) })

/** Parses a file written by `undock requests save`, the test kit or this console. @throws {Error} if it isn't one. */
export function parseRequestFile(text: string): RequestTree[] {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new Error('This file is not JSON. Open one that `undock requests save` or this screen saved.')
  }
  if (typeof content === 'object' && content !== null && 'log' in content)
    throw new Error('This is an HTTP Archive, which has no SQL. Open it in the developer tools of a browser.')
  const parsed = SavedFile.safeParse(content)
  if (!parsed.success)
    throw new Error(`This file holds no saved requests: ${z.prettifyError(parsed.error).slice(0, 300)}`)
  return parsed.data.requests as unknown as RequestTree[]
}

export type OpenFile = { readonly name: string; readonly requests: readonly RequestTree[] }

export const openFileKey = ['requests', 'file']

/** The saved file open in this page, or null. */
export const openFileQuery = queryOptions<OpenFile | null>({
  queryKey: openFileKey,
  queryFn: () => null,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

export const flatRequests = (requests: readonly RequestTree[]): RequestTree[] =>
  requests.flatMap((one) => [one, ...flatRequests(one.children)])

/** @param url The API's URL, for the archive. */
export function saveRequests(requests: readonly RequestTree[], format: 'undock' | 'har', url: string): void {
  const name = `requests-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`
  if (format === 'har') saveFile(`${name}.har`, 'application/json', JSON.stringify(harOf(requests, url), null, 1))
  else saveFile(`${name}.json`, 'application/json', JSON.stringify({ undock: 1, requests }))
}
