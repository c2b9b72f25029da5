import { expect, test } from 'vitest'
import { locate, locateAll } from './locate.ts'

const LONG =
  'The committee met on the third of May and decided, after a long debate, to postpone the purchase of the lamp.'

test.each([
  ['exact match', 'We had a lamp. It burned.', 'a lamp.', 'a lamp.'],
  ['across a line break', 'a lamp\n  that burned', 'lamp that', 'lamp\n  that'],
  ['hyphenated at a line end', 'the com-\nmittee met', 'committee', 'com-\nmittee'],
  ['missing spaces between drawn lines', 'the committeemet', 'committee met', 'committeemet'],
  ['Markdown syntax in the passage', 'A strong word here', '**strong** word', 'strong word'],
  ['a ligature in the text', 'the ﬁnal ofﬁce', 'final office', 'ﬁnal ofﬁce'],
  ['different case', 'THE LAMP', 'the lamp', 'THE LAMP'],
  ['decomposed accents', 'cafe\u0301 noir', 'caf\u00e9 noir', 'cafe\u0301 noir'],
  ['characters outside the BMP', '📚 𝐥𝐚𝐦𝐩 here', 'lamp', '𝐥𝐚𝐦𝐩'],
])('%s', (_name, text, passage, found) => {
  const span = locate(text, passage)
  expect(span && text.slice(span.start, span.end)).toBe(found)
})

test('a passage with a footnote in the middle is found from start to end', () => {
  const text = `Before. ${LONG.replace('decided,', 'decided 12 see the minutes,')} After.`
  const span = locate(text, LONG)
  expect(span && [text.slice(span.start, span.start + 13), text.slice(span.end - 8, span.end)]).toEqual([
    'The committee',
    'he lamp.',
  ])
})

test('a passage that continues on the next page is found up to the end of this page', () => {
  const text = `Before. ${LONG.slice(0, 70)}`
  const span = locate(text, LONG)
  expect(span && text.slice(span.start, span.end)).toBe(LONG.slice(0, 70))
})

test.each([
  ['missing passage', 'another text altogether', LONG],
  ['empty passage', 'a text', ''],
  ['passage without letters', 'a text', '***'],
  ['empty text', '', 'lamp'],
])('%s', (_name, text, passage) => {
  expect(locate(text, passage)).toBeUndefined()
})

test.each([
  ['case-insensitive', 'Lamp, lamp and LAMPS', 'lamp', ['Lamp', 'lamp', 'LAMP']],
  ['across a line break', 'green\n lamp, green lamp', 'green lamp', ['green\n lamp', 'green lamp']],
  ['non-overlapping', 'aaaa', 'aa', ['aa', 'aa']],
  ['no match', 'a lamp', 'whale', []],
  ['no letters', 'a lamp', '?!', []],
])('all occurrences, %s', (_name, text, words, found) => {
  expect(locateAll(text, words).map(({ start, end }) => text.slice(start, end))).toEqual(found)
})

test.each([
  [0, 0],
  [9, 10],
  [100, 20],
])('the occurrence nearest to offset %i is found', (near, start) => {
  expect(locate('The lamp. The lamp. The lamp.', 'the lamp', near)?.start).toBe(start)
})
