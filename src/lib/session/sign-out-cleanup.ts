type Cleanup = () => void

const cleanups = new Set<Cleanup>()

/** Registers a cleanup for something that holds data of the person who is signed in. It runs before somebody else may be next. */
export function onSignOut(cleanup: Cleanup): void {
  cleanups.add(cleanup)
}

export function runSignOutCleanup(): void {
  for (const cleanup of cleanups) cleanup()
}
