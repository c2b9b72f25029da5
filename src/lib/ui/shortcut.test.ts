// @vitest-environment jsdom
import { renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'

vi.hoisted(() => {
  // jsdom has no media queries.
  globalThis.matchMedia = (media) =>
    Object.assign(new EventTarget(), { matches: false, media, onchange: null, addListener() {}, removeListener() {} })
})

const { setAppearance } = await import('./appearance.ts')
const { isShortcut, shortcutLabel, useShortcut } = await import('./shortcut.ts')

afterEach(() => setAppearance({ letters: 'on' }))

const stroke = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  metaKey: false,
  ctrlKey: false,
  altKey: false,
  target: document.body,
  ...more,
})

const within = (role: string): HTMLElement => {
  const around = document.createElement('div')
  around.setAttribute('role', role)
  return around.appendChild(document.createElement('button'))
}

const inList = (): HTMLElement => {
  const list = document.createElement('ul')
  list.dataset.letters = 'true'
  return list.appendChild(document.createElement('a'))
}

const menuButton = (): HTMLElement => {
  const button = document.createElement('button')
  button.setAttribute('aria-haspopup', 'menu')
  return button
}

test.each([
  ['a plain key', 'j', stroke('j'), true],
  ['with caps lock', 'j', stroke('J'), true],
  ['another key', 'j', stroke('k'), false],
  ['a letter that does something, without focus', 'l', stroke('l'), false],
  ['a letter that does something, in a list', 'l', stroke('l', { target: inList() }), true],
  ['the second key of two', 'g s', stroke('s'), true],
  ['a sign, without focus', '+', stroke('+'), true],
  ['a browser shortcut that shares the letter', 'n', stroke('n', { ctrlKey: true }), false],
  ['while typing', 'j', stroke('j', { target: document.createElement('input') }), false],
  ['in an open list of options', 'i', stroke('i', { target: within('listbox') }), false],
  ['on the button of a menu', 'i', stroke('i', { target: menuButton() }), false],
  ['in a dialog', 'i', stroke('i', { target: within('dialog') }), false],
  ['command and key', 'mod+k', stroke('k', { metaKey: true }), true],
  ['control and key', 'mod+k', stroke('k', { ctrlKey: true }), true],
  [
    'command and key while typing',
    'mod+k',
    stroke('k', { metaKey: true, target: document.createElement('input') }),
    true,
  ],
  ['a letter key of an Arabic keyboard', 'j', stroke('ت', { code: 'KeyJ' }), true],
  ['control and a letter key of an Arabic keyboard', 'mod+k', stroke('ن', { code: 'KeyK', ctrlKey: true }), true],
  ['the slash of an Arabic keyboard', '/', stroke('ظ', { code: 'Slash' }), true],
  ['the question mark of an Arabic keyboard', '?', stroke('؟', { code: 'Slash', shiftKey: true }), true],
  ['a letter where another keyboard has the key', 'q', stroke('a', { code: 'KeyQ' }), false],
  ['the key alone', 'mod+k', stroke('k'), false],
])('%s', (_name, keys, event, expected) => {
  expect(isShortcut(keys, event)).toBe(expected)
})

test('shortcuts are shown the way the platform writes them', () => {
  expect([shortcutLabel('mod+k', true), shortcutLabel('mod+k', false), shortcutLabel('Enter', true)]).toEqual([
    '⌘K',
    'Ctrl K',
    'Enter',
  ])
})

test.each([
  ['a letter', 'j', stroke('j'), false],
  ['a punctuation mark', '?', stroke('?'), false],
  ['a key without a character', 'Escape', stroke('Escape'), true],
  ['a letter with control', 'mod+k', stroke('k', { ctrlKey: true }), true],
])('with single-letter shortcuts off: %s', (_name, keys, event, expected) => {
  setAppearance({ letters: 'off' })
  expect(isShortcut(keys, event)).toBe(expected)
})

test('a two-key shortcut wins over the shortcuts of its keys', () => {
  const done: string[] = []
  renderHook(() => {
    useShortcut('g i', () => done.push('inbox'))
    useShortcut('i', () => done.push('i'))
    useShortcut('s', () => done.push('star'))
  })
  const list = document.body.appendChild(document.createElement('ul'))
  list.dataset.letters = 'true'
  const type = (keys: string) => {
    for (const key of keys) list.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  }
  type('i')
  type('gi')
  type('gs')
  type('s')
  expect(done).toEqual(['i', 'inbox', 'star'])
})
