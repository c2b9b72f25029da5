import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { currentAppearance } from './appearance.ts'

const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')

/** Formats a shortcut for this system: "mod+k" is ⌘K on a Mac, Ctrl K elsewhere; "g i" is G I. */
export function shortcutLabel(keys: string, mac: boolean = IS_MAC): string {
  const shown = keys
    .replace('mod+', '')
    .split(' ')
    .map((key) => (key.length === 1 ? key.toUpperCase() : key))
    .join(' ')
  if (!keys.startsWith('mod+')) return shown
  return mac ? `⌘${shown}` : `Ctrl ${shown}`
}

type Keystroke = Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'target'> &
  Partial<Pick<KeyboardEvent, 'code' | 'shiftKey'>>

/** Whether a key event is this shortcut, or its last key. Plain keys only work outside of fields, menus, dialogs and
 *  toolbars, and can be turned off in the settings (WCAG 2.1.4). A single letter that does something, rather than move
 *  the focus, also needs the focus in a list or document: an element with `data-letters`. */
export function isShortcut(keys: string, event: Keystroke): boolean {
  const withModifier = keys.startsWith('mod+')
  const key = keys.replace('mod+', '').split(' ').at(-1) ?? ''
  if (event.altKey || (event.metaKey || event.ctrlKey) !== withModifier) return false
  if (latinKey(event).toLowerCase() !== key.toLowerCase()) return false
  if (withModifier || hasOwnKeys(event.target)) return withModifier
  if (key.length > 1) return true
  return currentAppearance().letters === 'on' && (!/^[a-z]$/.test(keys) || MOVES.has(keys) || isInLetters(event.target))
}

const isInLetters = (target: EventTarget | null) => target instanceof Element && !!target.closest('[data-letters]')

/** Lets letters act on an open document (`data-letters`, `tabIndex={-1}`): gives it the focus that nothing else has.
 *  @param document Its id; undefined while another element is about to take the focus. */
export function useDocumentFocus(document: string | undefined): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (document && globalThis.document.activeElement === globalThis.document.body)
      element.current?.focus({ preventScroll: true })
  }, [document])
  return element
}

/** Returns the Latin key on non-Latin keyboards (Arabic, Greek, Cyrillic). */
function latinKey({ key, code = '', shiftKey }: Keystroke): string {
  if (key.length > 1 || key < '\u0250') return key
  if (code === 'Slash') return shiftKey ? '?' : '/'
  return code.startsWith('Key') ? code.slice(3) : key
}

const FIELDS = 'input, textarea, select, [contenteditable=""], [contenteditable="true"]'
const OWN_KEYS = `${FIELDS}, [role="listbox"], [role="menu"], [role="dialog"], [role="alertdialog"], [aria-haspopup="menu"]`

const hasOwnKeys = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(OWN_KEYS) !== null)

export const isTextField = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches(`${FIELDS}`)) &&
  !target.matches('[type="checkbox"], [type="radio"], [type="file"], select')

/** The prefix of navigation shortcuts: a single letter must not leave the page. */
const FIRST_KEY = 'g'
/** Letters that only move the focus, or begin a shortcut. */
const MOVES = new Set(['j', 'k', FIRST_KEY])
/** Milliseconds until the prefix expires. */
const PATIENCE_MS = 1_500

let firstAt = Number.NEGATIVE_INFINITY
const active: { keys: string; act: () => void }[] = []

function listen(event: KeyboardEvent): void {
  if (event.defaultPrevented) return
  const isSecond = event.timeStamp - firstAt < PATIENCE_MS
  if (!['Shift', 'Control', 'Alt', 'Meta', 'AltGraph'].includes(event.key)) firstAt = Number.NEGATIVE_INFINITY
  const shortcut = active.find(
    ({ keys }) => (keys.startsWith('mod+') || keys.includes(' ') === isSecond) && isShortcut(keys, event),
  )
  if (shortcut) {
    event.preventDefault()
    shortcut.act()
  } else if (isShortcut(FIRST_KEY, event)) firstAt = event.timeStamp
}

/** @param keys A key ("?", "j"), "mod+" and a key, or "g " and a key. @param isOn Otherwise the key is ignored. */
export function useShortcut(keys: string, action: () => void, isOn = true): void {
  const act = useEffectEvent(action)
  useEffect(() => {
    if (!isOn) return
    const shortcut = { keys, act: () => act() }
    if (active.push(shortcut) === 1) addEventListener('keydown', listen)
    return () => {
      active.splice(active.indexOf(shortcut), 1)
      if (active.length === 0) removeEventListener('keydown', listen)
    }
  }, [keys, isOn])
}
