import { useLayoutEffect } from 'react'
import { isTextField } from './shortcut.ts'

/** Milliseconds to wait for a field. */
const PATIENCE_MS = 30_000
/** Milliseconds: a second click within this time belongs to the first. */
const DOUBLE_CLICK_MS = 600

type Typed = { text: string } | 'Enter'

let stopWaiting: (() => void) | undefined

declare global {
  var early: KeyboardEvent[] | undefined
}

/** Returns the keys pressed before the app ran, which index.html keeps, once. */
function takeEarlyKeys(): KeyboardEvent[] {
  const { early = [] } = globalThis
  globalThis.early = undefined
  globalThis.onkeydown = null
  return early
}

/** Awaits a field on pages where one takes the focus. */
export function awaitFieldOf({ pathname, search }: { pathname: string; search: object }): void {
  const isChosen = 'q' in search || ('a' in search && 'b' in search)
  if (isChosen || !/\/(ask|search|compare)$/.test(pathname)) takeEarlyKeys()
  else awaitField()
}

/** Buffers typed keys until a field has the focus, and types them there. Call it when an editor, dialog or search field
 *  starts opening: otherwise keys would run shortcuts or be lost while its code loads. Ends on Escape, a click
 *  elsewhere or a dialog without a field.
 *  @returns a function that ends it and drops the buffer. */
export function awaitField(): () => void {
  if (stopWaiting) return stopWaiting
  const began = performance.now()
  const typed: Typed[] = []
  const listening = new AbortController()
  const stop = () => {
    listening.abort()
    clearTimeout(timer)
    if (stopWaiting === stop) stopWaiting = undefined
  }
  const timer = setTimeout(stop, PATIENCE_MS)
  const on = { capture: true, signal: listening.signal }
  const takeIn = (event: Event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const press = (event: KeyboardEvent) => {
    const { key } = event
    if (key === 'Escape') return stop()
    const isText = key.length === 1 && (event.getModifierState('AltGraph') || !(event.ctrlKey || event.altKey))
    if (event.metaKey || (event.ctrlKey && !isText) || (!isText && key !== 'Enter' && key !== 'Backspace')) return
    takeIn(event)
    if (isText) typed.push({ text: key })
    else if (key === 'Backspace') typed.pop()
    else if (!event.repeat) typed.push('Enter')
  }
  for (const event of takeEarlyKeys()) press(event)
  addEventListener('keydown', press, on)
  addEventListener(
    'paste',
    (event) => {
      takeIn(event)
      typed.push({ text: event.clipboardData?.getData('text/plain') ?? '' })
    },
    on,
  )
  addEventListener(
    'pointerdown',
    ({ target, timeStamp }) => {
      const isElsewhere = target instanceof Element && target.closest('a, button, input, textarea, [contenteditable]')
      if (isElsewhere && timeStamp - began > DOUBLE_CLICK_MS) stop()
    },
    on,
  )
  addEventListener(
    'focusin',
    ({ target }) => {
      // The caret may be placed after focusing.
      if (isTextField(target))
        queueMicrotask(() => {
          stop()
          type(target, typed)
        })
      else if (target instanceof Element && target.closest('[role="dialog"], [role="alertdialog"]')) {
        // A dialog takes the focus before its field does.
        setTimeout(() => isTextField(document.activeElement) || stop())
      }
    },
    on,
  )
  stopWaiting = stop
  return stop
}

/** Types like a keyboard, so that the field's handlers and undo work. */
function type(field: HTMLElement, typed: readonly Typed[]): void {
  for (const one of typed) {
    if (one === 'Enter') {
      const options = { key: 'Enter', code: 'Enter', keyCode: 13, bubbles: true, cancelable: true }
      field.dispatchEvent(new KeyboardEvent('keydown', options))
    } else document.execCommand('insertText', false, one.text)
  }
}

/** Placeholder for a dialog that's loading. */
export function Opening(): null {
  useLayoutEffect(() => void awaitField(), [])
  return null
}
