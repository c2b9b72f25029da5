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
  'UnreachableServerError',
  'ClusterError',
  'NotRunningError',
])

/** What a system says when a file cannot be written: the machine's fault, and for people as well. */
const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no right to',
  EPERM: 'this user has no right to',
  EROFS: 'its file system can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full for this user',
}

export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (FOR_PEOPLE.has(error.name)) return error.message
  const { code = '', path } = error as NodeJS.ErrnoException
  const reason = REFUSALS[code]
  if (path && reason)
    return `${path} cannot be used: ${reason} (${code}).\nundock must be able to write supabase/.undock and its cache folder; UNDOCK_CACHE_DIR names another.`
  return error.stack ?? error.message
}
