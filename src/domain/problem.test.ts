// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest'
import { backendTexts, databaseErrors, functionErrors } from '../../scripts/error-codes.ts'
import { KINDS, refusal, Unreadable } from '../../supabase/functions/_shared/errors.ts'
import { switchLanguage } from '../lib/i18n/i18n.ts'
import arabic from '../locales/ar.json'
import german from '../locales/de.json'
import { describeProblem, problemText, refusedBy } from './problem.ts'

afterEach(() => switchLanguage('en'))

const fromDatabase = databaseErrors().map(({ code }) => code)
const fromFunctions = functionErrors().map(({ code }) => code)

test('each code is used once, by the database or by the functions', () => {
  expect(fromDatabase.length).toBeGreaterThan(100)
  const all = [...fromDatabase, ...fromFunctions]
  expect(all.filter((code, place) => all.indexOf(code) !== place)).toEqual([])
})

test.each([
  ['German', german],
  ['Arabic', arabic],
])('%s has a text for every backend code, and no others', (_name, catalogue: Record<string, string>) => {
  const translated = Object.keys(catalogue).filter((key) => /^(?:error|kind)\./.test(key))
  expect(translated.sort()).toEqual([...backendTexts().keys()].sort())
})

const DAMAGED = new Unreadable('file_misnamed', { name: 'a.b (1).png', claimed: 'png', found: 'program' }).problem

test.each([
  [{ code: 'last_owner', message: 'A library needs at least one owner.' }, 'Jemand muss die Bibliothek verwalten.'],
  [new Unreadable('too_many_pages', { count: 6001, limit: 5000 }).problem, 'Das PDF hat 6001 Seiten, höchstens 5000'],
  [DAMAGED, '„a.b (1).png“ nennt sich ein PNG-Bild, der Inhalt ist aber ein Programm.'],
  [new Unreadable('link_is_no_page', { found: 'video/mp4' }).problem, 'Der Link führt zu video/mp4; das'],
  [refusal('dns_unavailable').body, 'Versuchen Sie es in einigen Minuten noch einmal.'],
  [{ code: 'of_tomorrow', message: "A text {that, nobody} has' translated" }, "A text {that, nobody} has' translated"],
  [{ message: 'null value in column "name"' }, 'null value in column "name"'],
])('%j is shown in the language on screen, unknown codes in English', async (problem, text) => {
  expect(describeProblem(problem).title).toBe(problem.message)
  await switchLanguage('de')
  expect(problemText(problem)).toContain(text)
})

test('an English sentence has words for its parameters', () => {
  expect(DAMAGED.message).toBe(
    `“a.b (1).png” is named ${KINDS.png}, but its content is ${KINDS.program}. Rename it, or upload the original.`,
  )
})

test('a database error is identified by its details', () => {
  const error = {
    code: '23514',
    message: 'Kept.',
    hint: 'Wait.',
    details: '{"code": "legal_hold", "parameters": {"title": "a"}}',
  }
  expect(refusedBy(error)).toEqual({ code: 'legal_hold', message: 'Kept.', hint: 'Wait.', parameters: { title: 'a' } })
  expect(refusedBy({ ...error, details: 'Key (id)=(1) already exists.' })).toBeUndefined()
  expect(refusedBy({ ...error, details: '{1,2}' })).toBeUndefined()
  expect(refusedBy(new TypeError('Failed to fetch'))).toBeUndefined()
})
