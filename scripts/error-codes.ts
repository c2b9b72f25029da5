// The database's and edge functions' errors by code, for messages.ts and tests.
import { readFileSync } from 'node:fs'
import { KINDS, NOTICES, REFUSALS, UNDELIVERED, UNREADABLE } from '../supabase/functions/_shared/errors.ts'

export type KnownError = { code: string; message: string; hint: string | null }

const TEXT = String.raw`'(?:[^']|'')*'(?:\s+'(?:[^']|'')*')*`
/** A row of private.errors(): code, SQLSTATE, message and hint. */
const ROW = new RegExp(String.raw`^ {4}\('(\w+)', (?:'\w{5}'|null),\s+(${TEXT}),\s+(null|${TEXT})\)`, 'gm')

const unquoted = (literal: string): string =>
  [...literal.matchAll(/'((?:[^']|'')*)'/g)].map(([, part = '']) => part.replaceAll("''", "'")).join('')

export function databaseErrors(): KnownError[] {
  const source = readFileSync(`${import.meta.dirname}/../supabase/schemas/base/errors.sql`, 'utf8')
  return [...source.matchAll(ROW)].map(([, code = '', message = '', hint = '']) => ({
    code,
    message: unquoted(message),
    hint: hint === 'null' ? null : unquoted(hint),
  }))
}

export const functionErrors = (): KnownError[] => [
  ...Object.entries(REFUSALS).map(([code, [, message, hint = null]]) => ({ code, message, hint })),
  ...Object.entries({ ...UNREADABLE, ...UNDELIVERED, ...NOTICES }).map(([code, message]) => ({
    code,
    message,
    hint: null,
  })),
]

/** Returns the catalog keys of the backend's texts, with the English text. */
export const backendTexts = (): Map<string, string> =>
  new Map([
    ...[...databaseErrors(), ...functionErrors()].flatMap(({ code, message, hint }): [string, string][] => [
      [`error.${code}`, message],
      ...(hint === null ? [] : [[`error.${code}.hint`, hint] as [string, string]]),
    ]),
    ...Object.entries(KINDS).map(([code, name]): [string, string] => [`kind.${code}`, name]),
  ])
