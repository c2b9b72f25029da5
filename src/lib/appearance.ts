import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { currentLanguage, type Language, pickLanguage, speak } from './i18n.ts'

const Appearance = z.object({
  theme: z.catch(z.enum(['system', 'light', 'dark']), 'system'),
  density: z.catch(z.enum(['comfortable', 'compact']), 'comfortable'),
  /** `system`: the first of the browser's languages that there is. */
  language: z.catch(z.enum(['system', 'en', 'de']), 'system'),
})
export type Appearance = z.infer<typeof Appearance>

/** Read before the first paint by the script in index.html as well. */
const KEY = 'carrel.appearance'
const DARK = '(prefers-color-scheme: dark)'
const listeners = new Set<() => void>()

export function parseAppearance(stored: string | null): Appearance {
  try {
    return Appearance.parse(JSON.parse(stored ?? '{}'))
  } catch {
    return { theme: 'system', density: 'comfortable', language: 'system' }
  }
}

let appearance = parseAppearance(localStorage.getItem(KEY))

function apply() {
  const dark = appearance.theme === 'dark' || (appearance.theme === 'system' && matchMedia(DARK).matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  document.documentElement.dataset.density = appearance.density
  for (const listener of listeners) listener()
  const language = chosenLanguage()
  if (language === currentLanguage()) return
  void speak(language).then(() => {
    for (const listener of listeners) listener()
  })
}

export function setAppearance(change: Partial<Appearance>): void {
  appearance = { ...appearance, ...change }
  localStorage.setItem(KEY, JSON.stringify(appearance))
  apply()
}

/** Follows the system's theme, and choices made in other tabs. Called once, at the start. */
export function watchAppearance(): void {
  matchMedia(DARK).addEventListener('change', apply)
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== KEY) return
    appearance = parseAppearance(newValue)
    apply()
  })
  apply()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The language that is chosen, or else the system's. */
export const chosenLanguage = (): Language =>
  appearance.language === 'system' ? pickLanguage(navigator.languages) : appearance.language

/** The language on screen. What draws the whole app is keyed by it: every text is drawn anew. */
export const useLanguage = (): string => useSyncExternalStore(subscribe, currentLanguage)

export const useAppearance = (): Appearance => useSyncExternalStore(subscribe, () => appearance)
