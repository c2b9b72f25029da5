import { isProject, serviceClient } from '../_shared/clients.ts'
import { jsonAction, Refusal } from '../_shared/http.ts'
import { purge } from './purge.ts'

/** For the scheduler alone: takes the project's secret key, not a person's session. */
Deno.serve(
  jsonAction(async (_, request) => {
    if (!isProject(request)) throw new Refusal(401, 'Only the project itself may call this, with its secret key.')
    return await purge(serviceClient())
  }),
)
