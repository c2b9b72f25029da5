import { expect, test } from 'vitest'
import { isShortcut, shortcutLabel } from './shortcut.ts'

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

test.each([
  ['a plain key', 'j', stroke('j'), true],
  ['with caps lock', 'j', stroke('J'), true],
  ['another key', 'j', stroke('k'), false],
  ['a browser shortcut that shares the letter', 'n', stroke('n', { ctrlKey: true }), false],
  ['while typing', 'j', stroke('j', { target: document.createElement('input') }), false],
  ['in an open list of options', 'i', stroke('i', { target: within('listbox') }), false],
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

test('a shortcut is shown as usual on the current platform', () => {
  expect([shortcutLabel('mod+k', true), shortcutLabel('mod+k', false), shortcutLabel('Enter', true)]).toEqual([
    '⌘K',
    'Ctrl K',
    'Enter',
  ])
})
