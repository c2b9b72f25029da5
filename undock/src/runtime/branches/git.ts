import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Hooks of git have variables that name another repository or folder than the one asked about. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))

/** @returns null when git fails: outside of a repository, without git, or because the answer is no. */
async function git(folder: string, ...words: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['-C', folder, ...words], { env: environment() })
    return stdout.trim()
  } catch {
    return null
  }
}

/** The branch that is checked out; null for a detached HEAD, as during a rebase, and outside of a repository. */
export const gitBranch = (folder: string): Promise<string | null> =>
  git(folder, 'symbolic-ref', '--quiet', '--short', 'HEAD')

/** The branch of git that has the most in common with HEAD: the one with the fewest commits that only one of both has.
 *  @param names In the order of preference among equals. Those that git does not know are passed over.
 *  @returns null when git knows none of them. */
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

/** The paths of all worktrees of the repository, the main one first, and that of this folder in its own worktree. */
export async function worktrees(folder: string): Promise<{ readonly roots: string[]; readonly inside: string } | null> {
  const [list, inside] = await Promise.all([
    git(folder, 'worktree', 'list', '--porcelain'),
    git(folder, 'rev-parse', '--show-prefix'),
  ])
  if (list === null || inside === null) return null
  const roots = list.split('\n').flatMap((line) => (line.startsWith('worktree ') ? [line.slice(9)] : []))
  return { roots, inside }
}

/** How far the files of a folder are shared with others: 2 when the main branch of the remote has one, 1 when git tracks it here; no entry
 *  for the others.
 *  @param inside The folder's path below `folder`. @returns by their paths below `folder`. */
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
