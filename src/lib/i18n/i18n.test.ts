// @vitest-environment jsdom
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { afterAll, expect, test, vi } from 'vitest'
import { backendTexts } from '../../../scripts/error-codes.ts'
import arabic from '../../locales/ar.json'
import german from '../../locales/de.json'
import { formatNumber, formatRelativeTime } from './format.ts'
import { compilePlaceholders, formattingLocale, pickLanguage, switchLanguage, t } from './i18n.ts'

afterAll(() => switchLanguage('en'))

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'de'], 'de'],
  [['ar-EG', 'de'], 'ar'],
  [['fr'], 'en'],
  [[], 'en'],
  [['deu'], 'en'],
] as const)('for the languages %j the app uses %s', (wished, language) => {
  expect(pickLanguage(wished)).toBe(language)
})

test('text, numbers and dates follow the language', async () => {
  const people = (count: number) => t('{count, plural, one {# person} other {# people}}', { count })
  expect([people(1), people(2000)]).toEqual(['1 person', '2,000 people'])
  await switchLanguage('de')
  expect([people(1), people(2000)]).toEqual(['1 Person', '2.000 Personen'])
  expect(t('Account of {name}', { name: '{count}' })).toBe('Konto von {count}')
  expect(document.documentElement.lang).toBe('de')
  expect(formattingLocale(['en-GB', 'de-CH'])).toBe('de-CH')
  expect(formatNumber(1234.5)).toBe('1.234,5')
  expect(formatRelativeTime('2026-01-01T00:00:00Z', Date.parse('2026-01-03T00:00:00Z'))).toBe('vorgestern')
  expect(t('A text that nobody has translated')).toBe('A text that nobody has translated')
})

test('Arabic is right to left, with the digits of the region', async () => {
  const navigator = vi.spyOn(globalThis.navigator, 'languages', 'get').mockReturnValue(['ar-EG', 'en'])
  await switchLanguage('ar')
  expect(document.documentElement).toMatchObject({ lang: 'ar', dir: 'rtl' })
  const documents = (count: number) => t('{count, plural, one {# document} other {# documents}}', { count })
  expect([0, 1, 2, 3, 11, 100].map(documents)).toEqual([
    'لا مستندات',
    'مستند واحد',
    'مستندان',
    '٣ مستندات',
    '١١ مستندًا',
    '١٠٠ مستند',
  ])
  expect(t('Page {page} of {pages}', { page: 4, pages: 1200 })).toBe('الصفحة ٤ من ١٢٠٠')
  expect(t('for 30 days')).toBe('لمدة ٣٠ يومًا')
  // A Latin title is isolated, so that its brackets stay on its side.
  expect(t('Delete {title}', { title: 'C++ (2)' })).toBe('حذف \u2068C++ (2)\u2069')
  expect(t('Delete {title}', { title: 'المنارة' })).toBe('حذف المنارة')
  navigator.mockReturnValue(['ar-MA'])
  await switchLanguage('ar')
  expect([documents(11), t('for 30 days')]).toEqual(['11 مستندًا', 'لمدة 30 يومًا'])
  navigator.mockRestore()
  await switchLanguage('en')
  expect(document.documentElement.dir).toBe('ltr')
  expect(t('Delete {title}', { title: 'المنارة' })).toBe('Delete \u2068المنارة\u2069')
})

/** Backend texts are keyed by code. */
const BACKEND = backendTexts()
const CATALOGUES: Record<string, Record<string, string>> = { ar: arabic, de: german }

function holes(message: ReturnType<typeof compileMessage>): string[] {
  if (!Array.isArray(message)) return []
  return message.flatMap((part) => {
    if (!Array.isArray(part)) return []
    const [name, , forms] = part
    const inside = typeof forms === 'object' && forms !== null ? Object.values(forms) : []
    return [String(name), ...inside.flatMap((form) => (Array.isArray(form) ? holes(form) : []))]
  })
}

test.each(Object.keys(CATALOGUES))(
  'every text of %s parses and has the parameters of its English source',
  (language) => {
    for (const [english, text] of Object.entries(CATALOGUES[language] ?? {})) {
      expect({ english, holes: [...new Set(holes(compileMessage(text)))].sort() }).toEqual({
        english,
        holes: [...new Set(holes(compileMessage(BACKEND.get(english) ?? english)))].sort(),
      })
    }
  },
)

function forms(message: ReturnType<typeof compileMessage>): string[][] {
  if (!Array.isArray(message)) return []
  return message.flatMap((part) =>
    Array.isArray(part) && part[1] === 'plural' && typeof part[2] === 'object' ? [Object.keys(part[2] ?? {})] : [],
  )
}

test.each(Object.keys(CATALOGUES))('every plural text of %s has all plural forms of the language', (language) => {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  for (const text of Object.values(CATALOGUES[language] ?? {})) {
    // Exact numbers ("=1") can replace a form.
    for (const known of forms(compileMessage(text))) {
      if (!known.some((form) => /^\d/.test(form))) expect(known).toEqual(expect.arrayContaining(pluralCategories))
    }
  }
})

test('a text without plural forms is formatted like an ICU message, in every language', () => {
  const texts = Object.values(CATALOGUES)
    .flatMap((catalogue) => Object.entries(catalogue).flat())
    .filter((text) => !/\{\w+,/.test(text))
  const read = (text: string) => [text, [compilePlaceholders(text)].flat(1).filter((part) => part !== '')]
  expect(texts.map(read)).toEqual(texts.map((text) => [text, compileMessage(text)]))
})
