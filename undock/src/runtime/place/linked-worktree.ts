import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Returns whether a folder is in a linked git worktree (`git worktree add`), whose `.git` is a file naming its folder
 *  in the repository.
 *  @see gitrepository-layout(5) */
export async function isInLinkedWorktree(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(join(at, '.git')).catch(() => null)
    if (found) return found.isFile() && isLinked(await readFile(join(at, '.git'), 'utf8'))
    if (at === dirname(at)) return false
  }
}

const isLinked = (text: string): boolean => /^gitdir: .*[\\/]worktrees[\\/][^\\/\n]+$/m.test(text)
