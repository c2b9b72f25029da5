import { fileURLToPath } from 'node:url'

/** A location in a file. @property file Absolute. */
export type SourcePlace = { readonly file: string; readonly line: number; readonly column: number }

const OURS = new URL('./deno/', import.meta.url).href

/** The first location in a file of the project that a stack trace or a syntax error names. */
export function placeIn(trace: string): SourcePlace | null {
  for (const [, url = '', line, column] of trace.matchAll(/(file:\/\/[^\s()]+?):(\d+):(\d+)/g)) {
    if (url.startsWith(OURS)) continue
    const file = pathOf(url)
    if (file !== null) return { file, line: Number(line), column: Number(column) }
  }
  return null
}

/** Null for what is no path: a function writes what it likes into a trace. */
function pathOf(url: string): string | null {
  try {
    return fileURLToPath(url)
  } catch {
    return null
  }
}
