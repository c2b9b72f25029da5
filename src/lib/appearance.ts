import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'

const Appearance = z.object({
  theme: z.catch(z.enum(['system', 'light', 'dark']), 'system'),
  density: z.catch(z.enum(['comfortable', 'compact']), 'comfortable'),
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
    return { theme: 'system', density: 'comfortable' }
  }
}

let appearance = parseAppearance(localStorage.getItem(KEY))

function apply() {
  const dark = appearance.theme === 'dark' || (appearance.theme === 'system' && matchMedia(DARK).matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  document.documentElement.dataset.density = appearance.density
  for (const listener of listeners) listener()
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

export const useAppearance = (): Appearance => useSyncExternalStore(subscribe, () => appearance)
