import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark' | 'system'

const KEY = 'undock-theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function currentTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

/** The chosen theme, kept in sync with other tabs. */
export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentTheme)

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  apply()
  for (const listener of listeners) listener()
}

/** Applies the theme, now and whenever the system changes its own. */
export function watchTheme(): void {
  apply()
  system.addEventListener('change', apply)
}

function apply(): void {
  const theme = currentTheme()
  document.documentElement.classList.toggle('dark', theme === 'dark' || (theme === 'system' && system.matches))
}
