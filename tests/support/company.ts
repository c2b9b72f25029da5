import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inflateRawSync } from 'node:zlib'
import { createSamlProvider, samlResponse } from '../../undock/src/testing/saml-provider.ts'

/** A company: DNS of its mail domains, and an identity provider that accepts any claimed person. */
export type Company = {
  readonly records: Map<string, string>
  /** The DNS-over-HTTPS service with these records. */
  readonly resolver: string
  readonly metadata: string
  /** What a browser posts to the auth service after signing in. @param request The auth service's redirect. */
  respond(request: URL, email: string): { acs: string; form: URLSearchParams }
  stop(): Promise<void>
}

/** @param port 0 for any free one. */
export async function startCompany(port = 0): Promise<Company> {
  const records = new Map<string, string>()
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname === '/dns-query') {
      const value = records.get(url.searchParams.get('name') ?? '')
      const answer = value ? { Status: 0, Answer: [{ type: 16, data: `"${value}"` }] } : { Status: 3 }
      response.setHeader('content-type', 'application/dns-json').end(JSON.stringify(answer))
      return
    }
    response.setHeader('content-type', 'text/html')
    if (request.method === 'GET') response.end(SIGN_IN_PAGE)
    else {
      const { acs, form } = respond(url, new URLSearchParams(await textOf(request)).get('email') ?? '')
      response.end(postingPage(acs, form))
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const entityId = `${origin}/metadata`
  const provider = createSamlProvider(entityId, `${origin}/sso`)

  const respond: Company['respond'] = (request, email) => {
    const asked = inflateRawSync(Buffer.from(request.searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
    const attribute = (name: string) => new RegExp(` ${name}="([^"]+)"`).exec(asked)?.[1] ?? ''
    const acs = attribute('AssertionConsumerServiceURL')
    const xml = samlResponse({
      authUrl: acs.replace('/sso/saml/acs', ''),
      issuer: entityId,
      inResponseTo: attribute('ID'),
      nameId: email,
      attributes: { email: [email], displayName: [email.replace(/@.*/, '')] },
    })
    const SAMLResponse = Buffer.from(provider.sign(xml, 'Assertion')).toString('base64')
    return {
      acs,
      form: new URLSearchParams({ SAMLResponse, RelayState: request.searchParams.get('RelayState') ?? '' }),
    }
  }
  return {
    records,
    resolver: `${origin}/dns-query`,
    metadata: provider.metadata,
    respond,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const SIGN_IN_PAGE = `<!doctype html><title>Company</title><form method="post">
  <label>Company address <input name="email"></label><button>Sign in to the company</button></form>`

const postingPage = (acs: string, form: URLSearchParams): string =>
  `<!doctype html><title>Company</title><form method="post" action="${acs}">${Array.from(
    form,
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  ).join('')}</form><script>document.forms[0].submit()</script>`

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
