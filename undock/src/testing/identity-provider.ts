import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import Provider from 'oidc-provider'

export type Account = { sub: string; email: string; email_verified: boolean; name: string }

/** Who signs in: an account, no one ('denied'), or null when a page was sent that asks a person. */
export type Decide = (request: IncomingMessage, response: ServerResponse) => Promise<Account | 'denied' | null>

/** What it signs with; ID tokens of its own with the first. */
const ALGORITHMS = ['RS256', 'RS512', 'ES384', 'PS256']

const PATH = '/protocol/openid-connect'

/** An identity provider with Keycloak's paths, for one client whose secret is `idp-secret`.
 *  @param port 0 picks a free one. */
export async function startIdentityProvider(decide: Decide, port = 0) {
  const signers = new Map(
    await Promise.all(
      ALGORITHMS.map(async (alg) => [alg, (await generateKeyPair(alg, { extractable: true })).privateKey] as const),
    ),
  )
  const keys = await Promise.all(
    [...signers].map(async ([alg, key]) => ({ ...(await exportJWK(key)), alg, use: 'sig', kid: `idp-${alg}` })),
  )
  const accounts = new Map<string, Account>()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/test`

  /** Serves the client `app`, which is to be called back there. */
  function mount(callback: string): void {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'app',
          client_secret: 'idp-secret',
          redirect_uris: [callback],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      routes: {
        authorization: `${PATH}/auth`,
        token: `${PATH}/token`,
        userinfo: `${PATH}/userinfo`,
        jwks: `${PATH}/certs`,
      },
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
      conformIdTokenClaims: false,
      jwks: { keys },
      cookies: { keys: ['a'] },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => false },
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ ...accounts.get(id), sub: id }),
      }),
      interactions: {
        url: (_context: unknown, interaction: { uid: string }) => `${issuer}/interaction/${interaction.uid}`,
      },
    })
    const serve = provider.callback()

    async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const { prompt, params, grantId, session } = await provider.interactionDetails(request, response)
      if (prompt.name === 'login') {
        const account = await decide(request, response)
        if (account === null) return
        if (account !== 'denied') accounts.set(account.sub, account)
        const result = account === 'denied' ? { error: 'access_denied' } : { login: { accountId: account.sub } }
        return provider.interactionFinished(request, response, result)
      }
      const grant = grantId
        ? await provider.Grant.find(grantId)
        : new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) })
      grant?.addOIDCScope(String(params.scope))
      const consent = { grantId: await grant?.save() }
      return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
    }

    server.on('request', (request, response) => {
      request.url = request.url?.replace('/realms/test', '') ?? '/'
      if (request.url.startsWith('/interaction/')) void interact(request, response)
      else void serve(request, response)
    })
  }

  /** @param kid Names another key than the one that signs. */
  const sign = (claims: Record<string, unknown>, { alg = 'RS256', kid }: { alg?: string; kid?: string } = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid: kid ?? `idp-${alg}` }).sign(signers.get(alg) as CryptoKey)
  return { issuer, mount, sign, close: () => new Promise((resolve) => server.close(resolve)) }
}
