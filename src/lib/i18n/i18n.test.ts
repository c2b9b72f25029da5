// @vitest-environment jsdom
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { afterAll, expect, test } from 'vitest'
import german from '../../locales/de.json'
import { formatNumber, formatRelativeTime } from './format.ts'
import { compilePlaceholders, formattingLocale, pickLanguage, switchLanguage, t } from './i18n.ts'

afterAll(() => switchLanguage('en'))

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'de'], 'de'],
  [['fr'], 'en'],
  [[], 'en'],
  [['deu'], 'en'],
] as const)('for the languages %j the app chooses %s', (wished, language) => {
  expect(pickLanguage(wished)).toBe(language)
})

test('a text, its numbers and its dates follow the language', async () => {
  const people = (count: number) => t('{count, plural, one {# person} other {# people}}', { count })
  expect([people(1), people(2000)]).toEqual(['1 person', '2,000 people'])
  await switchLanguage('de')
  expect([people(1), people(2000)]).toEqual(['1 Mensch', '2.000 Menschen'])
  expect(t('Account of {name}', { name: '{count}' })).toBe('Konto von {count}')
  expect(document.documentElement.lang).toBe('de')
  expect(formattingLocale(['en-GB', 'de-CH'])).toBe('de-CH')
  expect(formatNumber(1234.5)).toBe('1.234,5')
  expect(formatRelativeTime('2026-01-01T00:00:00Z', Date.parse('2026-01-03T00:00:00Z'))).toBe('vorgestern')
  expect(t('A text that nobody has translated')).toBe('A text that nobody has translated')
})

/** The names of what is put into a message, at whatever depth. */
function holes(message: ReturnType<typeof compileMessage>): string[] {
  if (!Array.isArray(message)) return []
  return message.flatMap((part) => {
    if (!Array.isArray(part)) return []
    const [name, , forms] = part
    const inside = typeof forms === 'object' && forms !== null ? Object.values(forms) : []
    return [String(name), ...inside.flatMap((form) => (Array.isArray(form) ? holes(form) : []))]
  })
}

test('every German text can be parsed, and has the parameters of its English one', () => {
  for (const [english, text] of Object.entries(german)) {
    expect({ english, holes: [...new Set(holes(compileMessage(text)))].sort() }).toEqual({
      english,
      holes: [...new Set(holes(compileMessage(english)))].sort(),
    })
  }
})

test('a text without plural forms is formatted like an ICU message, in every language', () => {
  const texts = Object.entries(german)
    .flat()
    .filter((text) => !/\{\w+,/.test(text))
  const read = (text: string) => [text, [compilePlaceholders(text)].flat(1).filter((part) => part !== '')]
  expect(texts.map(read)).toEqual(texts.map((text) => [text, compileMessage(text)]))
})
