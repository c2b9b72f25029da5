import { expect, test } from 'vitest'
import { rangeOf } from './highlight.ts'

function draw(html: string): HTMLElement {
  const root = document.createElement('div')
  root.innerHTML = html
  return root
}

test('finds a passage that runs over several elements', () => {
  const root = draw('<h2>Lamps</h2><p>The <em>green</em> lamp</p><p>burns.</p>')
  expect(rangeOf(root, 'green lamp burns')?.toString()).toBe('green lampburns.')
})

test('finds nothing where nothing is', () => {
  expect(rangeOf(draw(''), 'lamp')).toBeUndefined()
})
