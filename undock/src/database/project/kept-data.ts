import { existsSync, statSync } from 'node:fs'
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyTree } from '../../platform/copy-tree.ts'
import { updateBootstrap } from '../bootstrap/apply-bootstrap.ts'
import { DEFAULT_MAJOR, MAJORS, type Major } from '../postgres/postgres-package.ts'
import type { Engine } from '../session.ts'
import type { OpeningEvent } from './project-content.ts'

/** What can read a data directory: PGlite, or the native PostgreSQL of one major. */
export type DataFormat = 'pglite' | Major

/** File in a complete data directory; its time says when the directory was last opened. */
export const dataMark = 'undock.complete'

/** Returns the folder for data of a format. Formats have separate folders, because none can read another's.
 *  @param dataFolder The folder named by the backend's state. */
export function folderOf(dataFolder: string, format: DataFormat): string {
  if (format === 'pglite') return dataFolder
  return format === DEFAULT_MAJOR ? `${dataFolder}-native` : `${dataFolder}-native-${format}`
}

export const DATA_FORMATS: readonly DataFormat[] = ['pglite', ...MAJORS]

export function lastUsedFormat(dataFolder: string, formats: readonly DataFormat[] = DATA_FORMATS): DataFormat | null {
  const kept = formats
    .map((format) => ({ format, mark: join(folderOf(dataFolder, format), dataMark) }))
    .filter(({ mark }) => existsSync(mark))
    .map(({ format, mark }) => ({ format, at: statSync(mark).mtimeMs }))
  return kept.toSorted((a, b) => b.at - a.at)[0]?.format ?? null
}

/** Copies data that no process uses, in all formats or all but one.
 *  @param from A backend's data folder; so is `to`, which is still empty. */
export async function copyKeptData(from: string, to: string, except?: DataFormat): Promise<void> {
  for (const format of DATA_FORMATS.filter((one) => one !== except)) {
    const [source, target] = [folderOf(from, format), folderOf(to, format)]
    const mark = statSync(join(source, dataMark), { throwIfNoEntry: false })
    if (!mark) continue
    await copyTree(source, target, { except: new Set([dataMark, 'postmaster.pid']) })
    await writeFile(join(target, dataMark), '')
    await utimes(join(target, dataMark), mark.atime, mark.mtime)
  }
}

/** Adds what this version of undock brings to an existing database, and reports it. */
export async function bringUpToDate(engine: Engine, tell: (event: OpeningEvent) => void): Promise<void> {
  const omitted = await updateBootstrap(engine)
  if (omitted === null) return
  tell({ kind: 'updated' })
  for (const omission of omitted) tell({ kind: 'omitted', omission })
}
