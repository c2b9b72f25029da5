import { EdgeFunctionError } from '../lib/backend/edge-function-error.ts'
import { toEdgeFunctionError } from '../lib/backend/edge-functions.ts'
import { supabase } from '../lib/backend/supabase.ts'

/** Indexing takes memory and time, so only a few documents are requested at once. */
const AT_ONCE = 3
/** Milliseconds to wait before each further attempt. */
const RETRY_AFTER = [1_000, 3_000, 9_000, 27_000]

/** @param kind The kind of the document: of a link, the page is fetched first. */
export type IndexableDocument = { id: string; kind: string }

type Invoke = (name: string, options: { body: object }) => Promise<{ error: unknown }>
type Sleep = (milliseconds: number) => Promise<unknown>

const sleep: Sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Requests that documents are split into passages and indexed, so that a search finds them. A function that cannot be
 *  reached, or is overloaded, is requested again; a document that is being indexed already is left alone.
 *  @returns a function that requests one document. It resolves when the document is indexed, and throws an EdgeFunctionError
 *  when the request is refused or a TypeError when the function stays out of reach. Progress comes over the library's channel. */
export function createIndexingRequester(
  invoke: Invoke,
  wait: Sleep = sleep,
): (document: IndexableDocument) => Promise<void> {
  let atWork = 0
  const waiting: (() => void)[] = []

  async function turn(): Promise<void> {
    if (atWork < AT_ONCE) atWork += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }
  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else atWork -= 1
  }
  async function attempt({ id, kind }: IndexableDocument): Promise<unknown> {
    await turn()
    try {
      const { error } = await invoke(kind === 'link' ? 'unfurl' : 'ingest', { body: { document_id: id } })
      return error ? await toEdgeFunctionError(error) : undefined
    } finally {
      leave()
    }
  }

  return async (document) => {
    for (const pause of [...RETRY_AFTER, undefined]) {
      const fault = await attempt(document)
      if (!fault || (fault instanceof EdgeFunctionError && fault.status === AT_WORK)) return
      if (pause === undefined || !mayPass(fault)) throw fault
      await wait(pause)
    }
  }
}

const AT_WORK = 409
const TOO_MANY = 429
const mayPass = (fault: unknown): boolean =>
  !(fault instanceof EdgeFunctionError) || fault.status >= 500 || fault.status === TOO_MANY

export const requestIndexing = createIndexingRequester((name, options) => supabase.functions.invoke(name, options))

/** For callers that do not wait: the card shows the progress. A request that fails is repeated by the next editor who has
 *  the document on screen (useResumeStalledIndexing). */
export const requestIndexingInBackground = (document: IndexableDocument): void =>
  void requestIndexing(document).catch(() => {})
