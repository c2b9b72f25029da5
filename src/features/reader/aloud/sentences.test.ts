// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { blocksOf, sentencesOf, textRoots } from './sentences.ts'

function draw(html: string): Element[] {
  const article = document.createElement('article')
  article.innerHTML = `<div data-readable>${html}</div>`
  return textRoots(article)
}
const spoken = (html: string, language = 'en'): string[][] =>
  blocksOf(draw(html)).map((block) => sentencesOf(block, language).map(({ text }) => text))

test('sentences end with their block and continue across inline elements', () => {
  expect(
    spoken('<h2>Lamps</h2><p>The <em>green</em> lamp burns. Hale <b>sleeps</b>!</p><ul><li>Oil</li><li>Wick</li></ul>'),
  ).toEqual([['Lamps'], ['The green lamp burns.', 'Hale sleeps!'], ['Oil'], ['Wick']])
})

test('a sentence has its range in the document', () => {
  const [block = []] = blocksOf(draw('<p>It is <em>dark</em>.  A lamp burns.</p>'))
  expect(sentencesOf(block, 'en').map(({ range }) => range.toString())).toEqual(['It is dark.', 'A lamp burns.'])
})

test('text without letters is skipped', () => {
  expect(spoken('<p>* * *</p><p> </p><p>One.</p>')).toEqual([['One.']])
})

test('a long sentence is split after a comma or a word, without losing text', () => {
  const sentence = `${'a lamp and its oil, '.repeat(15)}${'lampandoil'.repeat(30)}.`
  const [parts = []] = spoken(`<p>${sentence}</p>`)
  expect(parts.every((part) => part.length <= 220)).toBe(true)
  expect(parts[0]).toMatch(/oil,$/)
  expect(parts.join('').replaceAll(/\s/g, '')).toBe(sentence.replaceAll(/\s/g, ''))
})

test('Arabic sentences end at Arabic punctuation', () => {
  expect(spoken('<p>هل يحترق المصباح؟ نعم، يحترق.</p>', 'ar')).toEqual([['هل يحترق المصباح؟', 'نعم، يحترق.']])
})
