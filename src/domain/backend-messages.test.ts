// @vitest-environment jsdom
import { afterAll, expect, test } from 'vitest'
import { switchLanguage } from '../lib/i18n/i18n.ts'
import { translateBackendMessage } from './backend-messages.ts'

afterAll(() => switchLanguage('en'))

const TEXTS = [
  ['A library keeps at least one owner.', 'Jemand muss die Bibliothek verwalten.'],
  [
    'The PDF has 6001 pages, the limit is 5000. Split it and upload the parts.',
    'Das PDF hat 6001 Seiten, höchstens 5000',
  ],
  [
    '“a.b (1).png” calls itself a PNG image, but its content is a program. Give it its true ending, or upload the original.',
    '„a.b (1).png“ nennt sich ein PNG-Bild, der Inhalt ist aber ein Programm.',
  ],
  ['The link leads to video/mp4, which is no page to read.', 'Der Link führt zu video/mp4; das'],
  ["A text {that, nobody} has' translated", "A text {that, nobody} has' translated"],
] as const

test.each(TEXTS)('%s is translated to the language on screen', async (english, german) => {
  await switchLanguage('en')
  expect(translateBackendMessage(english)).toBe(english)
  await switchLanguage('de')
  expect(translateBackendMessage(english)).toContain(german)
})
