import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Whether a folder belongs to a linked worktree of git, as `git worktree add` makes it: a second checkout of the same
 *  repository. Its `.git` is a file that names its folder in the repository.
 *  @see gitrepository-layout(5) */
export async function isInLinkedWorktree(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(join(at, '.git')).catch(() => null)
    if (found) return found.isFile() && isLinked(await readFile(join(at, '.git'), 'utf8'))
    if (at === dirname(at)) return false
  }
}

/** A submodule has such a file too; its folder is in `modules/`. */
const isLinked = (text: string): boolean => /^gitdir: .*[\\/]worktrees[\\/][^\\/\n]+$/m.test(text)
