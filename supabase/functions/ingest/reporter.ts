import type { SupabaseClient } from '@supabase/supabase-js'

type State = 'extracting' | 'embedding' | 'failed'

/** Milliseconds between two reports of one state: a bar moves smoothly enough, and the work is not held up by telling of it. */
const PAUSE = 250

/** Writes where a run stands into the document; the database passes it on to the library's channel.
 *  A report that is lost costs a step of the bar, not the run: it is logged and forgotten. */
export function reporter(service: SupabaseClient, version: string, now: () => number = Date.now) {
  let last: { state: State; at: number } | null = null
  return async (state: State, progress: number, message: string | null = null): Promise<void> => {
    if (last?.state === state && now() - last.at < PAUSE) return
    last = { state, at: now() }
    const { error } = await service.rpc('report_ingestion', { version, state, progress: Math.round(progress), message })
    if (error) console.warn('report_ingestion:', error)
  }
}
