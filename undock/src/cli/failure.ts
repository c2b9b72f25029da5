/** Errors that are written for the person at the terminal; anything else shows its stack, for it is our fault. */
const FOR_PEOPLE = new Set([
  'UsageError',
  'ConfigError',
  'LockedError',
  'PortInUseError',
  'ScriptError',
  'KeptDataError',
  'NoBinariesError',
  'UnreachableFolderError',
  'ClusterError',
  'NotRunningError',
])

export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (FOR_PEOPLE.has(error.name)) return error.message
  return error.stack ?? error.message
}
