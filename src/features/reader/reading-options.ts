import * as z from 'zod/mini'
import { createStoredStore, useStore } from '../../lib/store.ts'

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

function parse(stored: string | null): ReadingOptions {
  try {
    return ReadingOptions.parse(JSON.parse(stored ?? '{}'))
  } catch {
    return ReadingOptions.parse({})
  }
}

const options = createStoredStore('carrel.reading', parse)

export const setReadingOptions = (change: Partial<ReadingOptions>): void => options.set({ ...options.get(), ...change })

/** This browser's reading options, shared by all tabs. */
export const useReadingOptions = (): ReadingOptions => useStore(options)
