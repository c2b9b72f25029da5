import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'

const ReadingOptions = z.object({
  /** Whether pages and pictures are darker in the dark theme. */
  dimmed: z.catch(z.boolean(), true),
  /** Whether a PDF shows two pages side by side where there is room. */
  spread: z.catch(z.boolean(), false),
  /** Whether a PDF is shown as running text instead of its pages. */
  reflow: z.catch(z.boolean(), false),
  /** Whether text files are in letters of their own widths instead of columns. */
  proportional: z.catch(z.boolean(), false),
  /** How fast a document is read aloud, 1 as a voice speaks by itself. */
  rate: z.catch(z.number().check(z.minimum(0.5), z.maximum(3)), 1),
  /** Whether the outline is beside the text on a wide screen; undefined while the person has not chosen. */
  outline: z.catch(z.optional(z.boolean()), undefined),
  /** Whether the panel of details and comments is beside the text on a wide screen. */
  details: z.catch(z.boolean(), true),
})
type ReadingOptions = z.infer<typeof ReadingOptions>

const KEY = 'carrel.reading'
const listeners = new Set<() => void>()

function parse(stored: string | null): ReadingOptions {
  try {
    return ReadingOptions.parse(JSON.parse(stored ?? '{}'))
  } catch {
    return ReadingOptions.parse({})
  }
}

let options = parse(localStorage.getItem(KEY))

function apply(next: ReadingOptions): void {
  options = next
  for (const listener of listeners) listener()
}

export function setReadingOptions(change: Partial<ReadingOptions>): void {
  const next = { ...options, ...change }
  localStorage.setItem(KEY, JSON.stringify(next))
  apply(next)
}

const onStorage = ({ key, newValue }: StorageEvent) => {
  if (key === KEY) apply(parse(newValue))
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', onStorage)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('storage', onStorage)
  }
}

/** How this browser shows documents, in every tab. */
export const useReadingOptions = (): ReadingOptions => useSyncExternalStore(subscribe, () => options)
