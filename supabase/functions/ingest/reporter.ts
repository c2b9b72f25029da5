import type { SupabaseClient } from '@supabase/supabase-js'
import { storable } from '../_shared/storable.ts'

type State = 'extracting' | 'embedding' | 'failed'

/** Milliseconds between two reports of one state: the progress bar is smooth enough, and reports do not delay the
 *  work. */
const PAUSE = 250

/** Writes the progress of a run into the document; the database publishes it on the library's channel.
 *  A report that fails costs a step of the progress bar, not the run: it is logged and ignored. */
export function reporter(service: SupabaseClient, version: string, now: () => number = Date.now) {
  let last: { state: State; at: number } | null = null
  return async (state: State, progress: number, message: string | null = null): Promise<void> => {
    if (last?.state === state && now() - last.at < PAUSE) return
    last = { state, at: now() }
    const { error } = await service.rpc('report_ingestion', {
      version,
      state,
      progress: Math.round(progress),
      message: message && storable(message),
    })
    if (error) console.warn('report_ingestion:', error)
  }
}
