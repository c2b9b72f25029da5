import { askAuthAdmin, isProject, serviceClient } from '../_shared/clients.ts'
import { refusal } from '../_shared/errors.ts'
import { jsonAction } from '../_shared/http.ts'
import { metadataFetch, refreshConnections, settleConnections } from '../_shared/sign-in/connections.ts'
import { openDomains } from '../_shared/sign-in/domains.ts'
import { purge } from './purge.ts'

/** For the scheduler only: requires the project's secret key instead of a user session. */
Deno.serve(
  jsonAction(async (_, request) => {
    if (!isProject(request)) throw refusal('not_the_project')
    const service = serviceClient()
    const purged = await purge(service)
    const domains = openDomains(service)
    await settleConnections(domains, askAuthAdmin)
    await refreshConnections(await domains.metadataAddresses(), askAuthAdmin, metadataFetch())
    return purged
  }),
)
