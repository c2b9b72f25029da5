// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { rangeOf, rangesOf } from './highlight.ts'

function draw(html: string): HTMLElement {
  const root = document.createElement('div')
  root.innerHTML = html
  return root
}

test('a passage across several elements is found', () => {
  const root = draw('<h2>Lamps</h2><p>The <em>green</em> lamp</p><p>burns.</p>')
  expect(rangeOf(root, { quote: 'green lamp burns' })?.toString()).toBe('green lampburns.')
})

test('a missing passage is not found', () => {
  expect(rangeOf(draw(''), { quote: 'lamp' })).toBeUndefined()
})

test('all occurrences of a word are found, even across elements', () => {
  const root = draw('<p>A la<em>mp</em>, a Lamp.</p><p>No light.</p>')
  expect(rangesOf(root, 'lamp').map(String)).toEqual(['lamp', 'Lamp'])
})
