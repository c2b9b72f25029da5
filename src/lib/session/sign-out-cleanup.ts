type Cleanup = () => void

const cleanups = new Set<Cleanup>()

/** Prefix of localStorage keys that are removed on sign-out. */
export const PERSONAL = 'carrel.personal.'

/** Registers a cleanup of personal data that runs before another person can sign in. */
export function onSignOut(cleanup: Cleanup): void {
  cleanups.add(cleanup)
}

export function runSignOutCleanup(): void {
  for (const cleanup of cleanups) cleanup()
  for (const key of Object.keys(localStorage)) if (key.startsWith(PERSONAL)) localStorage.removeItem(key)
}
