import { z } from 'zod'
import { callerClient, serviceClient, visitorClient } from '../_shared/clients.ts'
import { jsonAction, Refusal } from '../_shared/http.ts'
import { invite } from './invitation.ts'

const Body = z.object({
  library: z.guid(),
  email: z.email().max(254),
  role: z.enum(['guest', 'reader', 'editor', 'owner']),
  collection: z.guid().optional(),
  collection_role: z.enum(['reader', 'editor']).optional(),
  /** The address of the app, to which the mail's link leads; the auth service checks it against its allow-list. */
  site: z.url({ protocol: /^https?$/ }).optional(),
})

Deno.serve(
  jsonAction(async (body, request) => {
    const wish = Body.safeParse(body)
    if (!wish.success)
      throw new Refusal(400, 'Send { "library", "email", "role" } with an address that can receive mail.')
    return await invite(wish.data, {
      caller: callerClient(request),
      service: serviceClient(),
      visitor: visitorClient(),
    })
  }),
)
