import { serviceClient } from '../_shared/clients.ts'
import { isDatabase } from '../_shared/database-call.ts'
import { refusal } from '../_shared/errors.ts'
import { jsonAction } from '../_shared/http.ts'
import { hostDeps } from '../_shared/web/public-host.ts'
import { PATIENCE } from '../_shared/webhooks/post.ts'
import { deliverWebhooks } from './delivering.ts'

/** For the database, which calls with its key when a delivery is due. */
Deno.serve(
  jsonAction(async (_, request) => {
    const service = serviceClient()
    if (!(await isDatabase(service, request.headers.get('x-indexing-key')))) throw refusal('not_the_database')
    return await deliverWebhooks({
      service,
      ...hostDeps(Deno.env.get('WEBHOOK_ALLOWED_HOSTS')),
      patience: PATIENCE,
    })
  }),
)
