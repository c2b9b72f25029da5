import { existsSync, statSync } from 'node:fs'
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyTree } from '../../platform/copy-tree.ts'
import { updateBootstrap } from '../bootstrap/apply-bootstrap.ts'
import { DEFAULT_MAJOR, MAJORS, type Major } from '../postgres/majors.ts'
import type { Engine } from '../session.ts'
import type { OpeningEvent } from './project-content.ts'

/** What can read a kept data directory: PGlite, or the native PostgreSQL of one major version. */
export type DataFormat = 'pglite' | Major

/** A file in a data directory that is complete; its time says when it was last opened. */
export const dataMark = 'undock.complete'

/** Where data of a format is kept. Each format has a folder of its own, because none can read the data of another.
 *  @param dataFolder The folder that the state of a backend names. */
export function folderOf(dataFolder: string, format: DataFormat): string {
  if (format === 'pglite') return dataFolder
  return format === DEFAULT_MAJOR ? `${dataFolder}-native` : `${dataFolder}-native-${format}`
}

/** All formats in which data may be kept. */
export const DATA_FORMATS: readonly DataFormat[] = ['pglite', ...MAJORS]

/** The format whose data was opened last; null where nothing is kept.
 *  @param formats Only these are considered. */
export function lastUsedFormat(dataFolder: string, formats: readonly DataFormat[] = DATA_FORMATS): DataFormat | null {
  const kept = formats
    .map((format) => ({ format, mark: join(folderOf(dataFolder, format), dataMark) }))
    .filter(({ mark }) => existsSync(mark))
    .map(({ format, mark }) => ({ format, at: statSync(mark).mtimeMs }))
  return kept.toSorted((a, b) => b.at - a.at)[0]?.format ?? null
}

/** Copies kept data that no process uses, in all of its formats or in all but one.
 *  @param from The data folder that a backend names; so is `to`, where nothing is yet. */
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

/** Gives a kept database what this version of undock adds, and says so. */
export async function bringUpToDate(engine: Engine, tell: (event: OpeningEvent) => void): Promise<void> {
  const omitted = await updateBootstrap(engine)
  if (omitted === null) return
  tell({ kind: 'updated' })
  for (const omission of omitted) tell({ kind: 'omitted', omission })
}
