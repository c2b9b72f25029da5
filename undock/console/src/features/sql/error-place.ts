import type { FailedResult, ScriptResult } from './run-script.ts'

/** @property from The character of the script, from 0. */
export type ErrorMark = { readonly from: number; readonly message: string }

/** The errors of a run at their places in the script. @param start The character that the text of the run begins at. */
export const errorMarks = (results: readonly ScriptResult[], start: number): readonly ErrorMark[] =>
  results.flatMap((one) => ('error' in one ? [{ from: start + errorPlace(one), message: one.error.message }] : []))

/** The character of a script, from 0, at which a statement failed. Where Postgres names no place, it is the statement's first word. */
export function errorPlace({ start, text, error }: FailedResult): number {
  if (error.position !== undefined) return start + error.position - 1
  return start + (LEADING_COMMENTS.exec(text)?.[0].length ?? 0)
}

const LEADING_COMMENTS = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/

/** The line of a text that a character is in. @param first The number of the first line. */
export const lineOf = (text: string, place: number, first = 1): number =>
  first + text.slice(0, place).split('\n').length - 1
