import { useEffect, useEffectEvent } from 'react'

const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')

/** The label of a shortcut on this machine: "mod+k" is ⌘K on a Mac, Ctrl K elsewhere. */
export function shortcutLabel(keys: string, mac: boolean = IS_MAC): string {
  const key = keys.replace('mod+', '')
  const shown = key.length === 1 ? key.toUpperCase() : key
  if (!keys.startsWith('mod+')) return shown
  return mac ? `⌘${shown}` : `Ctrl ${shown}`
}

type Keystroke = Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'target'> &
  Partial<Pick<KeyboardEvent, 'code' | 'shiftKey'>>

/** Whether a keystroke is this shortcut. Plain keys do not count while somebody is typing, in a list that letters search, and in a
 *  dialog, which covers what they are about. */
export function isShortcut(keys: string, event: Keystroke): boolean {
  const withModifier = keys.startsWith('mod+')
  const key = keys.replace('mod+', '')
  if (event.altKey || (event.metaKey || event.ctrlKey) !== withModifier) return false
  if (latinKey(event).toLowerCase() !== key.toLowerCase()) return false
  return withModifier || !hasOwnKeys(event.target)
}

/** What the key types on a keyboard of Latin letters. Others (Arabic, Greek, Cyrillic) have no key that types a "k". */
function latinKey({ key, code = '', shiftKey }: Keystroke): string {
  if (key.length > 1 || key < '\u0250') return key
  if (code === 'Slash') return shiftKey ? '?' : '/'
  return code.startsWith('Key') ? code.slice(3) : key
}

const OWN_KEYS = 'input, textarea, select, [role="listbox"], [role="menu"], [role="dialog"], [role="alertdialog"]'

const hasOwnKeys = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(OWN_KEYS) !== null)

/** @param keys One key ("?", "j") or "mod+" and a key. @param isOn Otherwise the key is left to others. */
export function useShortcut(keys: string, action: () => void, isOn = true): void {
  const act = useEffectEvent(action)
  useEffect(() => {
    if (!isOn) return
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isShortcut(keys, event)) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [keys, isOn])
}
