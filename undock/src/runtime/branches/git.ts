import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Git hooks set variables that point to another repository or folder. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))

/** @returns null if git fails: outside a repository, without git, or for a negative answer. */
async function git(folder: string, ...words: readonly string[]): Promise<string | null> {
  try {
    // A repository's own settings may name a program that watches its files.
    const options = ['-C', folder, '-c', 'core.fsmonitor=false']
    const { stdout } = await run('git', [...options, ...words], { env: environment() })
    return stdout.trim()
  } catch {
    return null
  }
}

/** Returns the checked-out branch; null for a detached HEAD, as during a rebase, and outside a repository. */
export const gitBranch = (folder: string): Promise<string | null> =>
  git(folder, 'symbolic-ref', '--quiet', '--short', 'HEAD')

/** Returns the git branch nearest to HEAD: the fewest commits that only one of them has.
 *  @param names In order of preference among equals; unknown ones are skipped.
 *  @returns null if git knows none. */
export async function nearestBranch(folder: string, names: readonly string[]): Promise<string | null> {
  const distances = await Promise.all(
    names.map(async (name) => {
      const count = await git(folder, 'rev-list', '--count', `refs/heads/${name}...HEAD`)
      return count === null ? null : { name, distance: Number(count) }
    }),
  )
  const known = distances.filter((one) => one !== null)
  return known.toSorted((a, b) => a.distance - b.distance)[0]?.name ?? null
}

/** Returns the paths of the repository's worktrees, the main one first, and this folder's path inside its worktree. */
export async function worktrees(folder: string): Promise<{ readonly roots: string[]; readonly inside: string } | null> {
  const [list, inside] = await Promise.all([
    git(folder, 'worktree', 'list', '--porcelain'),
    git(folder, 'rev-parse', '--show-prefix'),
  ])
  if (list === null || inside === null) return null
  const roots = list.split('\n').flatMap((line) => (line.startsWith('worktree ') ? [line.slice(9)] : []))
  return { roots, inside }
}

/** Whether the checked-out commit contains this folder. */
export const isCommitted = async (folder: string): Promise<boolean> =>
  (await git(folder, 'rev-parse', '--verify', '--quiet', 'HEAD:./')) !== null

/** Returns how widely a folder's files are shared: 2 if on the remote's main branch, 1 if tracked locally; untracked
 *  files have no entry.
 *  @param inside The folder's path below `folder`. @returns by path below `folder`. */
export async function sharedFiles(folder: string, inside: string): Promise<Map<string, number>> {
  const lists = await Promise.all([
    git(folder, 'ls-files', '--', inside),
    git(folder, 'ls-tree', '--name-only', 'refs/remotes/origin/HEAD', `${inside}/`),
  ])
  return new Map(
    lists.flatMap((list, index) =>
      (list ?? '')
        .split('\n')
        .filter(Boolean)
        .map((path) => [path, index + 1]),
    ),
  )
}
