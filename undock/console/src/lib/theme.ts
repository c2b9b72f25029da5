import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark' | 'system'

const KEY = 'undock-theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}

function currentTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

const isDark = (): boolean => (currentTheme() === 'system' ? system.matches : currentTheme() === 'dark')

export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme)
export const useIsDark = (): boolean => useSyncExternalStore(subscribe, isDark)

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = currentTheme()
}
