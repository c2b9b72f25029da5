// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'

vi.hoisted(() => {
  // jsdom has no media queries.
  globalThis.matchMedia = (media) =>
    Object.assign(new EventTarget(), { matches: false, media, onchange: null, addListener() {}, removeListener() {} })
})

const { parseAppearance, setAppearance } = await import('./appearance.ts')

test.each([
  [null, { theme: 'system', density: 'comfortable', language: 'system', letters: 'on' }],
  ['{"theme":"dark","density":"compact"}', { theme: 'dark', density: 'compact', language: 'system', letters: 'on' }],
  ['{"theme":"purple"}', { theme: 'system', density: 'comfortable', language: 'system', letters: 'on' }],
  ['not json', { theme: 'system', density: 'comfortable', language: 'system', letters: 'on' }],
  ['null', { theme: 'system', density: 'comfortable', language: 'system', letters: 'on' }],
])('reads %j', (stored, appearance) => {
  expect(parseAppearance(stored)).toEqual(appearance)
})

test('a choice applies immediately and is stored', () => {
  setAppearance({ theme: 'dark' })
  expect(document.documentElement.dataset.theme).toBe('dark')
  expect(parseAppearance(localStorage.getItem('carrel.appearance')).theme).toBe('dark')
})
