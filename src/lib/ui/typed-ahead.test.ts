// @vitest-environment jsdom
import { afterEach, beforeAll, expect, test } from 'vitest'
import { awaitField } from './typed-ahead.ts'

// jsdom has no editing commands.
beforeAll(() => {
  document.execCommand = (_command, _isShown, text = '') => {
    const field = document.activeElement
    if (field instanceof HTMLInputElement)
      field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
    return true
  }
})
afterEach(() => {
  awaitField()()
  document.body.replaceChildren()
})

const press = (key: string, more: KeyboardEventInit = {}): boolean =>
  (document.activeElement ?? document.body).dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }),
  )
const type = (text: string) => [...text].map((key) => press(key))
const add = (html: string): HTMLElement => {
  document.body.insertAdjacentHTML('beforeend', html)
  return document.body.lastElementChild as HTMLElement
}
const settled = () => new Promise((resolve) => setTimeout(resolve))

test('keys typed before a field appears go into it, and trigger no shortcuts', async () => {
  const heard: string[] = []
  const listen = ({ key }: KeyboardEvent) => heard.push(key)
  addEventListener('keydown', listen)
  awaitField()
  type('insidx')
  press('Backspace')
  type('e')
  press('Escape', { key: 'F5' })
  const field = add('<input value="old">') as HTMLInputElement
  field.select()
  field.focus()
  await settled()
  removeEventListener('keydown', listen)
  expect(field.value).toBe('inside')
  expect(heard).toEqual(['F5'])
})

test.each([
  ['Escape', () => press('Escape')],
  ['a dialog without a field', () => add('<div role="dialog" tabindex="-1"></div>').focus()],
  ['its end function', () => awaitField()()],
])('%s ends it, and keys work as usual', async (_name, end) => {
  awaitField()
  type('a')
  end()
  await settled()
  expect(press('b')).toBe(true)
  const field = add('<input>') as HTMLInputElement
  field.focus()
  await settled()
  expect(field.value).toBe('')
})
