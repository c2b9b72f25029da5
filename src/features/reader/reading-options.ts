import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'

const ReadingOptions = z.object({
  /** Dims pages and pictures in the dark theme. */
  dimmed: z.catch(z.boolean(), true),
  /** Shows two PDF pages side by side if they fit. */
  spread: z.catch(z.boolean(), false),
  /** Shows a PDF as reflowed text. */
  reflow: z.catch(z.boolean(), false),
  /** Uses a proportional font for text files. */
  proportional: z.catch(z.boolean(), false),
  rate: z.catch(z.number().check(z.minimum(0.5), z.maximum(3)), 1),
  /** Outline next to the text on wide screens; undefined for the default. */
  outline: z.catch(z.optional(z.boolean()), undefined),
  /** Details panel next to the text on wide screens. */
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

/** This browser's reading options, shared by all tabs. */
export const useReadingOptions = (): ReadingOptions => useSyncExternalStore(subscribe, () => options)
