import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { currentLanguage, type Language, pickLanguage, switchLanguage } from '../i18n/i18n.ts'

const Appearance = z.object({
  theme: z.catch(z.enum(['system', 'light', 'dark']), 'system'),
  density: z.catch(z.enum(['comfortable', 'compact']), 'comfortable'),
  /** `system`: the first supported language of the browser. */
  language: z.catch(z.enum(['system', 'en', 'de', 'ar']), 'system'),
  /** Whether single characters are shortcuts. */
  letters: z.catch(z.enum(['on', 'off']), 'on'),
})
export type Appearance = z.infer<typeof Appearance>

/** Also read by the script in index.html before the first paint. */
const KEY = 'carrel.appearance'
const DARK = '(prefers-color-scheme: dark)'
const listeners = new Set<() => void>()

export function parseAppearance(stored: string | null): Appearance {
  try {
    return Appearance.parse(JSON.parse(stored ?? '{}'))
  } catch {
    return Appearance.parse({})
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
  void switchLanguage(language).then(() => {
    for (const listener of listeners) listener()
  })
}

export function setAppearance(change: Partial<Appearance>): void {
  appearance = { ...appearance, ...change }
  localStorage.setItem(KEY, JSON.stringify(appearance))
  apply()
}

/** Applies changes of the system's theme and of other tabs. Called once, at startup. */
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

export const chosenLanguage = (): Language =>
  appearance.language === 'system' ? pickLanguage(navigator.languages) : appearance.language

/** The current language. The app's root is keyed by it, so that all texts rerender. */
export const useLanguage = (): string => useSyncExternalStore(subscribe, currentLanguage)

export const currentAppearance = (): Appearance => appearance

export const useAppearance = (): Appearance => useSyncExternalStore(subscribe, currentAppearance)
