import type { SupabaseClient } from '@supabase/supabase-js'
import { z } from 'zod'
import { Unreadable } from '../_shared/extraction/extraction.ts'
import { describePage } from '../_shared/extraction/html.ts'
import { Refusal } from '../_shared/http.ts'
import { storable } from '../_shared/storable.ts'
import { decodePage } from '../_shared/web/charset.ts'
import { fetchPage, type Page, type WebDeps } from '../_shared/web/fetch-page.ts'
import { type IngestionDeps, ingest, type Outcome } from '../ingest/ingestion.ts'

/** The link's row is claimed before the address is checked, so that the run itself can report an invalid address. */
const Claim = z.object({ claimed: z.boolean(), library_id: z.string(), url: z.string(), title: z.string() })
type Claim = z.infer<typeof Claim>

const ENDINGS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/csv': 'csv',
}

export type UnfurlingDeps = IngestionDeps & { readonly web: WebDeps }
type Failed = { readonly document_id: string; readonly state: 'failed'; readonly message: string }

/** Fetches a link's page, stores it as the link's next version, and splits it into passages.
 *  A page that cannot be fetched is a result ('failed' with a message that says what to do), not an error.
 *  @throws {Refusal} 404 when the caller may not edit such a link, 409 while another run is in progress. */
export async function unfurl(documentId: string, deps: UnfurlingDeps): Promise<Outcome | Failed> {
  const claim = await claimLink(documentId, deps.caller)
  try {
    const page = await fetchPage(claim.url, deps.web)
    await keep(documentId, claim, page, deps.caller)
  } catch (error) {
    if (!(error instanceof Unreadable)) console.error(`unfurl ${documentId}:`, error)
    const message =
      error instanceof Unreadable
        ? error.message
        : 'Something went wrong on our side while fetching this link. Fetch it again.'
    await deps.service
      .from('documents')
      .update({ state: 'failed', state_message: storable(message), progress: 0 })
      .eq('id', documentId)
      .throwOnError()
    return { document_id: documentId, state: 'failed', message }
  }
  return await ingest(documentId, deps)
}

async function claimLink(documentId: string, caller: SupabaseClient): Promise<Claim> {
  const { data, error } = await caller.rpc('begin_unfurl', { document: documentId })
  if (error) throw new Error(`begin_unfurl: ${error.code} ${error.message}`, { cause: error })
  const [claim] = z.array(Claim).parse(data)
  if (!claim) throw new Refusal(404, 'The link is not there, or you may not edit it.')
  if (!claim.claimed) throw new Refusal(409, 'This link is being fetched already. Wait until that is done.')
  return claim
}

/** Has the caller's own rights: the same rules apply as for an upload. */
async function keep(documentId: string, { library_id, url, title }: Claim, page: Page, caller: SupabaseClient) {
  const ending = ENDINGS[page.mimeType] ?? 'html'
  const isPage = ending === 'html'
  const html = isPage ? decodePage(page.bytes) : ''
  const content = new Blob([isPage ? html : new Uint8Array(page.bytes)])
  const path = `${library_id}/${documentId}/${crypto.randomUUID()}/page.${ending}`
  const { error } = await caller.storage
    .from('documents')
    .upload(path, content, { contentType: isPage ? 'text/html' : page.mimeType })
  if (error) throw new Error(`upload ${path}: ${error.message}`, { cause: error })
  await caller
    .rpc('add_file', { library: library_id, document: documentId, path, file_name: `page.${ending}` })
    .throwOnError()
  // A title that a user gave is kept; the address was only a placeholder.
  const described = isPage ? describePage(html) : { title: '', summary: '' }
  if (title !== url.slice(0, 300) || !described.title) return
  await caller.from('documents').update(described).eq('id', documentId).throwOnError()
}
