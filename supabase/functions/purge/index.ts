import { askAuthAdmin, isProject, serviceClient } from '../_shared/clients.ts'
import { jsonAction, Refusal } from '../_shared/http.ts'
import { refreshConnections, settleConnections } from '../_shared/sign-in/connections.ts'
import { metadataFetch } from '../_shared/sign-in/metadata.ts'
import { purge } from './purge.ts'

/** Only for the scheduler: requires the project's secret key instead of a user's session. */
Deno.serve(
  jsonAction(async (_, request) => {
    if (!isProject(request)) throw new Refusal(401, 'Only the project itself may call this, with its secret key.')
    const service = serviceClient()
    const purged = await purge(service)
    await settleConnections(service, askAuthAdmin)
    await refreshConnections(service, askAuthAdmin, metadataFetch())
    return purged
  }),
)
