import { isDatabase, serviceClient } from '../_shared/clients.ts'
import { type Problem, refusal } from '../_shared/errors.ts'
import { jsonAction } from '../_shared/http.ts'
import { hostDeps } from '../_shared/web/public-host.ts'
import { ClaimedWebhook } from '../_shared/webhooks/delivery.ts'
import { TIMEOUT } from '../_shared/webhooks/post.ts'
import { deliverWebhooks } from './delivering.ts'

/** Called by the database, with its key, when a delivery is due. */
Deno.serve(
  jsonAction(async (_, request) => {
    const service = serviceClient()
    if (!(await isDatabase(service, request.headers.get('x-database-key')))) throw refusal('not_the_database')
    return await deliverWebhooks({
      take: async () => ClaimedWebhook.nullable().parse((await service.rpc('take_webhook').throwOnError()).data),
      report: async (delivery, { status, answer, problem }) => {
        // The generated types don't allow null arguments.
        const outcome = { status: status as number, answer: answer as string, problem: problem as Problem }
        await service.rpc('report_webhook_delivery', { delivery, ...outcome }).throwOnError()
      },
      release: async (webhook, pause_seconds) =>
        void (await service.rpc('release_webhook', { webhook, pause_seconds }).throwOnError()),
      ...hostDeps(Deno.env.get('WEBHOOK_ALLOWED_HOSTS')),
      timeout: TIMEOUT,
    })
  }),
)
