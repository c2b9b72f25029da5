type Cleanup = () => void

const cleanups = new Set<Cleanup>()

/** Registers a cleanup of personal data that runs before another person can sign in. */
export function onSignOut(cleanup: Cleanup): void {
  cleanups.add(cleanup)
}

export function runSignOutCleanup(): void {
  for (const cleanup of cleanups) cleanup()
}
