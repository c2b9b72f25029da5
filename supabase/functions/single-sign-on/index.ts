import { z } from 'zod'
import { askAuthAdmin, callerClient, serviceClient } from '../_shared/clients.ts'
import { inputOf, jsonAction } from '../_shared/http.ts'
import { metadataFetch, settleConnections } from '../_shared/sign-in/connections.ts'
import { openDomains } from '../_shared/sign-in/domains.ts'
import { connect, Metadata } from './connect.ts'
import { ownedDomain, readDomain } from './owned-domain.ts'
import { txtLookup } from './txt-records.ts'
import { verify } from './verify.ts'

const Body = z.discriminatedUnion('action', [
  z.object({ action: z.literal('verify'), domain: z.guid() }),
  z.object({ action: z.literal('connect'), domain: z.guid(), metadata: Metadata }),
  z.object({ action: z.literal('remove'), domain: z.guid() }),
])

/** For library owners: verifies a company's mail domain and connects it with the company's identity provider. */
Deno.serve(
  jsonAction(async (body, request) => {
    const usage =
      'Send { "action": "verify", "connect" or "remove", "domain" }, and with "connect" one of { "metadata": { "url", "xml" or "same_as" } }.'
    const input = inputOf(Body, body, usage)
    const caller = callerClient(request)
    const domains = openDomains(serviceClient())
    const token = request.headers.get('Authorization')?.replace(/^Bearer /i, '') ?? ''
    const owned = await ownedDomain(input.domain, caller, token)
    switch (input.action) {
      case 'verify':
        await verify(owned, { domains, lookUp: txtLookup(Deno.env.get('DOMAIN_RESOLVER')) })
        return { verified: true }
      case 'connect':
        await connect(owned, input.metadata, {
          readDomain: (id) => readDomain(id, caller),
          domains,
          ask: askAuthAdmin,
          fetchMetadata: metadataFetch(),
        })
        return { connected: true }
      case 'remove':
        await caller.from('sign_in_domains').delete().eq('id', input.domain).throwOnError()
        await settleConnections(domains, askAuthAdmin)
        return { removed: true }
    }
  }),
)
