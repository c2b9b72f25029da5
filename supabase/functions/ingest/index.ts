import { z } from 'zod'
import { type Client, callerClient, serviceClient } from '../_shared/clients.ts'
import type { Json } from '../_shared/database.ts'
import { type Embedder, sharedEmbedder } from '../_shared/embedding.ts'
import { refusal } from '../_shared/errors.ts'
import { inputOf, jsonAction } from '../_shared/http.ts'
import { INDEXER_VERSION } from '../_shared/passages.ts'
import { webDeps } from '../_shared/web/fetch-page.ts'
import { createBudget } from './budget.ts'
import { fetchLink } from './fetch-link.ts'
import { openQueue, type Queue } from './queue.ts'
import { type RunDeps, runDocument } from './run.ts'
import { openVersions } from './versions.ts'

/** The result of reading a document. `state` is neither 'ready' nor 'failed' if it takes longer than a call. */
type ReadingOutcome = {
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

async function outcomeOf(document: string, service: Client): Promise<ReadingOutcome> {
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

const Call = z.object({ call: z.number().int().nullish() })
const Body = z.object({ document_id: z.guid() })

// The database calls with its key, a user with a document id. `verify_jwt` is off because the database has no token; a
// user's rights are checked by the database.
Deno.serve(
  jsonAction(async (body, request) => {
    const service = serviceClient()
    const queue = openQueue(service)
    const key = request.headers.get('x-database-key')
    if (key === null) return await readForPerson(body, callerClient(request), queue, service)
    if (!(await queue.isDatabaseCall(key))) throw refusal('not_the_database')
    return await readQueue(queue, service, Call.safeParse(body).data?.call ?? null)
  }),
)

/** Reads queued documents one by one and then updates search words, until the budget is spent. */
async function readQueue(queue: Queue, service: Client, call: number | null): Promise<{ runs: number }> {
  const budget = createBudget()
  const deps = await depsOf(queue, service, call)
  let runs = 0
  do {
    const work = await queue.takeDocument(call === null ? {} : { call })
    if (work) {
      await runDocument(work, deps, budget)
      runs += 1
    } else if (!(await queue.reindexWaiting())) return { runs }
  } while (!budget.isSpent())
  await queue.callIndexer()
  return { runs }
}

async function readForPerson(body: unknown, caller: Client, queue: Queue, service: Client) {
  const { document_id: document } = inputOf(Body, body, 'Send { "document_id": "<uuid>" }.')
  const { data: found, error } = await caller.rpc('read_again', { documents: [document] })
  // 42501: not signed in, so the function may not be called.
  if (error && error.code !== '42501') throw new Error(`read_again: ${error.code} ${error.message}`, { cause: error })
  if (!found) throw refusal('document_not_readable')
  const budget = createBudget()
  const deps = await depsOf(queue, service, null)
  do {
    const work = await queue.takeDocument({ document })
    if (!work) break
    await runDocument(work, deps, budget)
  } while (!budget.isSpent())
  return await outcomeOf(document, service)
}

async function depsOf(queue: Queue, service: Client, call: number | null): Promise<RunDeps> {
  const embedder = openedEmbedder(queue)
  await queue.announceIndexer(INDEXER_VERSION, call)
  const versions = openVersions(service)
  const web = webDeps(Deno.env.get('UNFURL_ALLOWED_HOSTS'))
  return { queue, versions, embedder, fetchLink: (work) => fetchLink(work, service, versions, web) }
}

/** Opens the embedder and announces its model to the database. Opening takes seconds, so text is read meanwhile. */
function openedEmbedder(queue: Queue): Promise<Embedder | null> {
  const opened = sharedEmbedder().then(async (embedder) => {
    if (embedder) await queue.announceIndexer(INDEXER_VERSION, null, embedder)
    return embedder
  })
  // Callers that await it get the error; a call that only reads text ignores it.
  opened.catch(() => {})
  return opened
}
