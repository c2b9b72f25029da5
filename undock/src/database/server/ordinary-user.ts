import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export type User = { readonly uid: number; readonly gid: number }

/** Postgres refuses to run as root, and no other user can reach the folder. */
export class UnreachableFolderError extends Error {
  override readonly name = 'UnreachableFolderError'

  constructor(folder: string, blocked: string) {
    super(
      `Postgres refuses to run as root, so it runs as "nobody", who cannot reach ${folder}: ${blocked} is closed to others.\n` +
        'Run undock as an ordinary user, open that folder (chmod o+x), or use engine = "pglite".',
    )
  }
}

/** Who Postgres is to run as when undock runs as root; null for itself. */
export function ordinaryUser(): User | null {
  if (process.getuid?.() !== 0) return null
  const lines = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : []
  const entry = lines.map((line) => line.split(':')).find(([name]) => name === 'nobody')
  return { uid: Number(entry?.[2] ?? 65_534), gid: Number(entry?.[3] ?? 65_534) }
}

/** Makes a folder that this user owns and can reach.
 *  @throws {UnreachableFolderError} */
export function makeFolderFor(user: User | null, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!user) return
  chownSync(folder, user.uid, user.gid)
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    const { mode, uid } = statSync(above)
    if ((mode & 0o001) !== 0 || uid === user.uid) continue
    // Temporary folders are made for their maker alone; others may pass through this one now, not look into it.
    if (!above.startsWith(join(tmpdir(), '/'))) throw new UnreachableFolderError(folder, above)
    chmodSync(above, 0o711)
  }
}
