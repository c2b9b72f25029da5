import type { FailedResult } from './run-script.ts'

/** The character of a script, from 0, at which a statement failed. Where Postgres names no place, it is the statement's first word. */
export function errorPlace({ start, text, error }: FailedResult): number {
  if (error.position !== undefined) return start + error.position - 1
  return start + (LEADING_COMMENTS.exec(text)?.[0].length ?? 0)
}

const LEADING_COMMENTS = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/

/** The line of a text that a character is in. @param first The number of the first line. */
export const lineOf = (text: string, place: number, first = 1): number =>
  first + text.slice(0, place).split('\n').length - 1
