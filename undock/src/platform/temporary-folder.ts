import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './process.ts'

/** A folder's name has its purpose and the process that owns it. */
const OWNED = /^undock-(?:[a-z]+-)?(\d+)-/

/** Makes a folder that ends with this process, which removes it. A process that was killed could not: its folders of every purpose
 *  are removed here, when the next one makes its own.
 *  @param purpose A word for its name.
 *  @param parent Where it is made; among the temporary files without it. */
export function makeTemporaryFolder(purpose: string, parent = tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const pid = Number(OWNED.exec(name)?.[1] ?? 0)
    if (pid === 0 || isAlive(pid)) continue
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // Somebody else's folder cannot be removed, and is theirs to remove.
    }
  }
  return mkdtempSync(join(parent, `undock-${purpose}-${process.pid}-`))
}
