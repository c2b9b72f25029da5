import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './process.ts'

const OWNED = /^undock-(?:[a-z]+-)?(\d+)-/

/** Creates a folder that this process removes when it ends. Also removes folders of killed processes. */
export function makeTemporaryFolder(purpose: string, parent = tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const pid = Number(OWNED.exec(name)?.[1] ?? 0)
    if (pid === 0 || isAlive(pid)) continue
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // Other users' folders can't be removed.
    }
  }
  return mkdtempSync(join(parent, `undock-${purpose}-${process.pid}-`))
}
