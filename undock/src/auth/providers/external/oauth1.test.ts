import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../testing/auth.ts'
import { startExternalServices } from '../../../testing/external-services.ts'
import { signatureOf } from './oauth1.ts'

test('signs requests according to RFC 5849', () => {
  const params = {
    status: 'Hello Ladies + Gentlemen, a signed OAuth request!',
    oauth_consumer_key: 'xvz1evFS4wEEPTGEFPHBog',
    oauth_nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg',
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: '1318622958',
    oauth_token: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
    oauth_version: '1.0',
  }
  const url = 'https://api.twitter.com/1.1/statuses/update.json?include_entities=true'
  const secret = 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw'
  expect(
    signatureOf({ method: 'POST', url, params, secret, tokenSecret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE' }),
  ).toBe('hCtSmYh+iHYCEqBWrE7C7hYmtUk=')
})

let externalServices: Awaited<ReturnType<typeof startExternalServices>>
let auth: TestAuth
beforeAll(async () => {
  externalServices = await startExternalServices(({ url, authorization }) => {
    const { oauth_signature: signature = '', ...params } = headerOf(authorization)
    const secret = { 'request-1': 'request-secret', 'access-1': 'access-secret' }[params.oauth_token ?? ''] ?? ''
    const method = url.pathname.endsWith('.json') ? 'GET' : 'POST'
    // As upstream, the verifier's exchange is signed without the request token's secret.
    const known = url.pathname.endsWith('.json') ? secret : ''
    if (signature !== signatureOf({ method, url: url.href, params, secret: 'secret', tokenSecret: known }))
      return { status: 401, body: {} }
    switch (url.pathname) {
      case '/oauth/request_token':
        return { body: 'oauth_token=request-1&oauth_token_secret=request-secret&oauth_callback_confirmed=true' }
      case '/oauth/access_token':
        return params.oauth_verifier === 'verifier-1'
          ? { body: 'oauth_token=access-1&oauth_token_secret=access-secret' }
          : { status: 401, body: {} }
      default:
        return {
          body: {
            id_str: '7',
            name: 'Ada L',
            screen_name: 'ada',
            email: 'ada@idp.test',
            profile_image_url_https: 'https://p.test/a.png',
          },
        }
    }
  })
  auth = await startTestAuth('[auth.external.twitter]\nenabled = true\nclient_id = "client"\nsecret = "secret"\n', '', {
    fetch: externalServices.fetch,
  })
})
afterAll(async () => {
  await auth.close()
  await externalServices.close()
})

const headerOf = (authorization: string): Record<string, string> =>
  Object.fromEntries(
    [...authorization.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      decodeURIComponent(value),
    ]),
  )

async function begin() {
  const start = await fetch(`${auth.url}/auth/v1/authorize?provider=twitter`, { redirect: 'manual' })
  const asked = externalServices.requests.findLast(({ url }) => url.pathname === '/oauth/request_token')
  return {
    location: start.headers.get('location'),
    callback: new URL(headerOf(asked?.authorization ?? '').oauth_callback ?? ''),
  }
}

async function end(callback: URL, params: Record<string, string>): Promise<URL> {
  for (const [name, value] of Object.entries(params)) callback.searchParams.set(name, value)
  const response = await fetch(callback, { redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '')
}

test('twitter signs in', async () => {
  const { location, callback } = await begin()
  expect(location).toBe('https://api.twitter.com/oauth/authenticate?oauth_token=request-1')
  const target = await end(callback, { oauth_token: 'request-1', oauth_verifier: 'verifier-1' })
  const fragment = new URLSearchParams(target.hash.slice(1))
  expect(fragment.get('provider_token')).toBe('access-1')
  const { data } = await auth.client().auth.getUser(fragment.get('access_token') ?? '')
  expect(data.user?.identities).toMatchObject([
    {
      provider: 'twitter',
      identity_data: {
        iss: 'https://api.twitter.com/1.1/account/verify_credentials.json',
        sub: '7',
        provider_id: '7',
        name: 'Ada L',
        full_name: 'Ada L',
        user_name: 'ada',
        preferred_username: 'ada',
        picture: 'https://p.test/a.png',
        avatar_url: 'https://p.test/a.png',
        email: 'ada@idp.test',
        email_verified: true,
        phone_verified: false,
      },
    },
  ])
})

test.each([
  ['a wrong verifier', { oauth_token: 'request-1', oauth_verifier: 'guess' }],
  ['a denied request', { denied: 'request-1' }],
])('rejects %s', async (_name, params) => {
  const { callback } = await begin()
  const target = await end(callback, params)
  expect(Object.fromEntries(target.searchParams)).toEqual({
    error: 'server_error',
    error_code: 'unexpected_failure',
    error_description: 'Unable to retrieve access token',
  })
})
