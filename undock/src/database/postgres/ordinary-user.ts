import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { UserError } from '../../kernel/service-error.ts'

export type User = { readonly uid: number; readonly gid: number }

/** Thrown when undock is root and the user that runs Postgres can't reach the folder. */
class UnreachableFolderError extends UserError {
  constructor(folder: string, blocked: string) {
    super(
      `Postgres refuses to run as root, so it runs as "nobody", who cannot reach ${folder}: ${blocked} is closed to others.\n` +
        'Run undock as an ordinary user, open that folder (chmod o+x), or use engine = "pglite".',
    )
  }
}

/** Returns the user that Postgres runs as when undock is root; null for the current user. */
export function ordinaryUser(): User | null {
  if (process.getuid?.() !== 0) return null
  const lines = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : []
  const entry = lines.map((line) => line.split(':')).find(([name]) => name === 'nobody')
  return { uid: Number(entry?.[2] ?? 65_534), gid: Number(entry?.[3] ?? 65_534) }
}

/** Creates a folder that this user owns and can reach. @throws {UnreachableFolderError} */
export function makeFolderFor(user: User | null, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!user) return
  chownSync(folder, user.uid, user.gid)
  for (const above of closedFolders(user, folder)) {
    // Temporary folders are closed to other users; let them pass through this one, not read it.
    if (!isTemporary(above)) throw new UnreachableFolderError(folder, above)
    chmodSync(above, 0o711)
  }
}

/** Returns the parent folders that keep the user out, the outermost first. The folder itself needn't exist. */
export const foldersClosedTo = (user: User, folder: string): string[] =>
  closedFolders(user, folder)
    .filter((above) => !isTemporary(above))
    .reverse()

export const cannotReach = (user: User, file: string): boolean => closedFolders(user, file).length > 0

/** Returns a Node that the server's user can run: undock's own, or one on the PATH; null if there is none. */
export function reachableNode(user: User | null): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const files = [process.execPath, ...folders.map((folder) => join(folder, 'node'))].filter((file) => existsSync(file))
  return files.map((file) => realpathSync(file)).find((file) => !user || !cannotReach(user, file)) ?? null
}

const isTemporary = (path: string): boolean => path.startsWith(join(tmpdir(), '/'))

function closedFolders(user: User, folder: string): string[] {
  const closed: string[] = []
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    const stats = statSync(above, { throwIfNoEntry: false })
    if (stats && (stats.mode & 0o001) === 0 && stats.uid !== user.uid) closed.push(above)
  }
  return closed
}
