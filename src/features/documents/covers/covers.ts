import { idle } from '../../../lib/device.ts'
import { onSignOut } from '../../../lib/session/sign-out-cleanup.ts'
import { type Cover, type Coverless, type CoverQueue, createCoverQueue } from './cover-queue.ts'

/** One tab of this browser makes covers at a time; after it the others find them made. */
async function make(coverless: Coverless): Promise<Cover | null> {
  const { makeCover } = await import('./make-cover.ts')
  const action = () => makeCover(coverless)
  // Not at hand on pages without TLS.
  return 'locks' in navigator ? await navigator.locks.request('carrel.covers', action) : await action()
}

export const covers: CoverQueue = createCoverQueue({ idle, make })
onSignOut(covers.clear)
