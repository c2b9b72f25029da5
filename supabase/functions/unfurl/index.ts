import { z } from 'zod'
import { callerClient, serviceClient } from '../_shared/clients.ts'
import { sharedEmbedder } from '../_shared/embedding.ts'
import { jsonAction, Refusal } from '../_shared/http.ts'
import { webDeps } from '../_shared/web/fetch-page.ts'
import { unfurl } from './unfurling.ts'

const Body = z.object({ document_id: z.guid() })

Deno.serve(
  jsonAction(async (body, request) => {
    const wish = Body.safeParse(body)
    if (!wish.success) throw new Refusal(400, 'Send { "document_id": "<uuid>" }.')
    return await unfurl(wish.data.document_id, {
      caller: callerClient(request),
      service: serviceClient(),
      openEmbedder: sharedEmbedder,
      web: webDeps(Deno.env.get('UNFURL_ALLOWED_HOSTS')),
    })
  }),
)
