export type Theme = 'light' | 'dark' | 'system'

const KEY = 'undock-theme'
const system = matchMedia('(prefers-color-scheme: dark)')

export function currentTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  apply()
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
