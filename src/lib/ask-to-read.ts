import { Refusal } from './failure.ts'
import { explainInvocation } from './invoke.ts'
import { supabase } from './supabase.ts'

/** Functions take memory and time: what is added together is read a few at a time. */
const AT_ONCE = 3
/** Milliseconds to wait before each further attempt. */
const RETRY_AFTER = [1_000, 3_000, 9_000, 27_000]

/** @param kind Of the document: the page that a link leads to is fetched first. */
export type ToRead = { id: string; kind: string }

type Invoke = (name: string, options: { body: object }) => Promise<{ error: unknown }>
type Sleep = (milliseconds: number) => Promise<unknown>

const sleep: Sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Has documents read into passages, so that they can be found. A function that cannot be reached, or has too much to do, is
 *  asked again; one that is at work already is let work.
 *  @returns what asks: it resolves when the document is read, and throws a Refusal when it may not be, or a TypeError when the
 *  function stays out of reach. How far the reading is comes over the library's channel. */
export function createReading(invoke: Invoke, wait: Sleep = sleep): (document: ToRead) => Promise<void> {
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
  async function attempt({ id, kind }: ToRead): Promise<unknown> {
    await turn()
    try {
      const { error } = await invoke(kind === 'link' ? 'unfurl' : 'ingest', { body: { document_id: id } })
      return error ? await explainInvocation(error) : undefined
    } finally {
      leave()
    }
  }

  return async (document) => {
    for (const pause of [...RETRY_AFTER, undefined]) {
      const fault = await attempt(document)
      if (!fault || (fault instanceof Refusal && fault.status === AT_WORK)) return
      if (pause === undefined || !mayPass(fault)) throw fault
      await wait(pause)
    }
  }
}

const AT_WORK = 409
const TOO_MANY = 429
const mayPass = (fault: unknown): boolean =>
  !(fault instanceof Refusal) || fault.status >= 500 || fault.status === TOO_MANY

export const askToRead = createReading((name, options) => supabase.functions.invoke(name, options))

/** For those who do not wait: the card shows how far it is. What nobody could ask for now is asked for again by whoever has
 *  the document on screen. */
export const askToReadLater = (document: ToRead): void => void askToRead(document).catch(() => {})
