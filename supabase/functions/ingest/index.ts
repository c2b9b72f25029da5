import { z } from 'zod'
import { callerClient, serviceClient } from '../_shared/clients.ts'
import { sharedEmbedder } from '../_shared/embedding.ts'
import { jsonAction, Refusal } from '../_shared/http.ts'
import { ingest } from './ingestion.ts'

const Body = z.object({ document_id: z.guid() })

Deno.serve(
  jsonAction(async (body, request) => {
    const wish = Body.safeParse(body)
    if (!wish.success) throw new Refusal(400, 'Send { "document_id": "<uuid>" }.')
    return await ingest(wish.data.document_id, {
      caller: callerClient(request),
      service: serviceClient(),
      openEmbedder: sharedEmbedder,
    })
  }),
)
