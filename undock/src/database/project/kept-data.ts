import { updateBootstrap } from '../bootstrap/apply-bootstrap.ts'
import type { Engine } from '../session.ts'
import type { OpeningEvent } from './project-content.ts'

/** A file in a data directory that is complete; its time says when it was last opened. */
export const dataMark = 'undock.complete'

/** Beside the embedded engine's data: neither engine can read the other's. */
export const nativeFolder = (dataFolder: string): string => `${dataFolder}-native`

/** Gives a kept database what this version of undock adds, and says so. */
export async function bringUpToDate(engine: Engine, tell: (event: OpeningEvent) => void): Promise<void> {
  const omitted = await updateBootstrap(engine)
  if (omitted === null) return
  tell({ kind: 'updated' })
  for (const omission of omitted) tell({ kind: 'omitted', omission })
}
