import type { Client } from '../_shared/clients.ts'
import type { Json } from '../_shared/database.ts'

/** The result of reading a document. `state` is neither 'ready' nor 'failed' if it takes longer than a call. */
export type ReadingOutcome = {
  readonly document_id: string
  readonly version_id: string | null
  readonly state: 'queued' | 'extracting' | 'embedding' | 'ready' | 'failed'
  readonly passages: number
  readonly pages: number | null
  readonly model: string | null
  readonly problem: Json
}

/** Milliseconds. A hosted call may take 150 seconds, and waiting takes no CPU time. */
const MAX_WAIT_MS = 100_000
const PAUSE = 300

export async function outcomeOf(document: string, service: Client): Promise<ReadingOutcome> {
  const until = performance.now() + MAX_WAIT_MS
  for (;;) {
    const { data } = await service
      .from('documents')
      .select('document_id:id, version_id:current_version_id, state, pages:page_count, problem')
      .eq('id', document)
      .single()
      .throwOnError()
    const isOver = data.state === 'ready' || data.state === 'failed'
    if (isOver || performance.now() > until) return { ...data, ...(await passagesOf(document, service)) }
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

async function passagesOf(document: string, service: Client) {
  const { data, count } = await service
    .from('passages')
    .select('embedding_model', { count: 'exact' })
    .eq('document_id', document)
    .limit(1)
    .throwOnError()
  return { passages: count ?? 0, model: data[0]?.embedding_model ?? null }
}
