import { idle } from '../../../lib/device.ts'
import { onSignOut } from '../../../lib/session/sign-out-cleanup.ts'
import { type Cover, type Coverless, type CoverQueue, createCoverQueue } from './cover-queue.ts'

/** One tab at a time creates covers; the others then find them. */
async function make(coverless: Coverless): Promise<Cover | null> {
  const { makeCover } = await import('./make-cover.ts')
  const action = () => makeCover(coverless)
  // Locks aren't available without TLS.
  return 'locks' in navigator ? await navigator.locks.request('carrel.covers', action) : await action()
}

export const covers: CoverQueue = createCoverQueue({ idle, make })
onSignOut(covers.clear)
