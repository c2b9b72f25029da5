import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../../testing/auth.ts'
import { type ReceivedRequest, startExternalServices } from '../../../../testing/external-services.ts'

type Json = Record<string, unknown>

type Case = {
  readonly provider: string
  readonly toml?: string
  readonly authorize: string
  readonly scope: string | null
  readonly token: string
  readonly basic?: boolean
  readonly answer?: Json
  readonly idToken?: Json & { iss: string }
  readonly responses?: Readonly<Record<string, unknown>>
  readonly params?: Readonly<Record<string, string>>
  readonly identity: Json
}

const MAIL = { email: 'ada@idp.test', email_verified: true, phone_verified: false }
const NAME = { name: 'Ada L', full_name: 'Ada L' }
const PICTURE = { picture: 'https://p.test/a.png', avatar_url: 'https://p.test/a.png' }
const id = (sub: string) => ({ sub, provider_id: sub })

const CASES: readonly Case[] = [
  {
    provider: 'apple',
    authorize: 'https://appleid.apple.com/auth/authorize',
    scope: 'email name',
    token: 'https://appleid.apple.com/auth/token',
    idToken: { iss: 'https://appleid.apple.com', sub: 'a1', email: 'ada@idp.test', is_private_email: 'true' },
    params: { user: JSON.stringify({ name: { firstName: 'Ada', lastName: 'L' } }) },
    identity: {
      ...MAIL,
      ...NAME,
      ...id('a1'),
      iss: 'https://appleid.apple.com',
      custom_claims: { is_private_email: true },
    },
  },
  {
    provider: 'azure',
    authorize: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    scope: 'openid',
    token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    idToken: {
      iss: 'https://login.microsoftonline.com/tenant-1/v2.0',
      sub: 'z1',
      email: 'ada@idp.test',
      name: 'Ada L',
      preferred_username: 'ada',
      xms_edov: '1',
      tid: 'tenant-1',
    },
    identity: {
      ...MAIL,
      ...id('z1'),
      iss: 'https://login.microsoftonline.com/tenant-1/v2.0',
      full_name: 'Ada L',
      preferred_username: 'ada',
      custom_claims: { email: 'ada@idp.test', xms_edov: '1', tid: 'tenant-1' },
    },
  },
  {
    provider: 'bitbucket',
    authorize: 'https://bitbucket.org/site/oauth2/authorize',
    scope: 'account email',
    token: 'https://bitbucket.org/site/oauth2/access_token',
    responses: {
      'https://api.bitbucket.org/2.0/user': { uuid: '{b1}', display_name: 'Ada L', avatar: { href: PICTURE.picture } },
      'https://api.bitbucket.org/2.0/user/emails': {
        values: [{ email: 'ada@idp.test', is_primary: true, is_confirmed: true }],
      },
    },
    identity: { ...MAIL, ...NAME, ...PICTURE, ...id('{b1}'), iss: 'https://api.bitbucket.org/2.0' },
  },
  {
    provider: 'discord',
    authorize: 'https://discord.com/api/oauth2/authorize',
    scope: 'email identify',
    token: 'https://discord.com/api/oauth2/token',
    responses: {
      'https://discord.com/api/users/@me': {
        id: 'd1',
        username: 'ada',
        discriminator: '7',
        global_name: 'Ada L',
        avatar: 'a_1',
        email: 'ada@idp.test',
        verified: true,
      },
    },
    identity: {
      ...MAIL,
      ...id('d1'),
      iss: 'https://discord.com/api',
      name: 'ada#7',
      full_name: 'ada',
      picture: 'https://cdn.discordapp.com/avatars/d1/a_1.gif',
      avatar_url: 'https://cdn.discordapp.com/avatars/d1/a_1.gif',
      custom_claims: { global_name: 'Ada L' },
    },
  },
  {
    provider: 'facebook',
    authorize: 'https://www.facebook.com/dialog/oauth',
    scope: 'email',
    token: 'https://graph.facebook.com/oauth/access_token',
    responses: {
      'https://graph.facebook.com/me': {
        id: 'f1',
        first_name: 'Ada',
        last_name: 'L',
        name: 'ada.l',
        email: 'ada@idp.test',
        picture: { data: { url: PICTURE.picture } },
      },
    },
    identity: {
      ...MAIL,
      ...NAME,
      ...PICTURE,
      ...id('f1'),
      iss: 'https://graph.facebook.com/me?fields=email,first_name,last_name,name,picture',
      nickname: 'ada.l',
      slug: 'ada.l',
    },
  },
  {
    provider: 'figma',
    authorize: 'https://www.figma.com/oauth',
    scope: 'current_user:read',
    token: 'https://api.figma.com/v1/oauth/token',
    basic: true,
    responses: {
      'https://api.figma.com/v1/me': { id: 'g1', email: 'ada@idp.test', handle: 'Ada L', img_url: PICTURE.picture },
    },
    identity: { ...MAIL, ...NAME, ...id('g1'), iss: 'https://api.figma.com', avatar_url: PICTURE.picture },
  },
  {
    provider: 'fly',
    authorize: 'https://api.fly.io/oauth/authorize',
    scope: 'read',
    token: 'https://api.fly.io/oauth/token',
    responses: {
      'https://api.fly.io/oauth/token/info': {
        user_id: 'y1',
        user_name: 'Ada L',
        email: 'ada@idp.test',
        resource_owner_id: 'r1',
        organizations: [{ id: 'o1', role: 'admin' }],
        scope: ['read'],
        application: {},
        created_at: 1,
      },
    },
    identity: {
      ...MAIL,
      ...id('y1'),
      iss: 'https://api.fly.io',
      full_name: 'Ada L',
      custom_claims: {
        resource_owner_id: 'r1',
        organizations: [{ id: 'o1', role: 'admin' }],
        application: {},
        scope: ['read'],
        created_at: 1,
      },
    },
  },
  {
    provider: 'github',
    authorize: 'https://github.com/login/oauth/authorize',
    scope: 'user:email',
    token: 'https://github.com/login/oauth/access_token',
    responses: {
      'https://api.github.com/user': { id: 1, login: 'ada', name: 'Ada L', avatar_url: PICTURE.picture },
      'https://api.github.com/user/emails': [
        { email: 'other@idp.test', primary: false, verified: true },
        { email: 'ada@idp.test', primary: true, verified: true },
      ],
    },
    identity: {
      ...MAIL,
      ...NAME,
      ...id('1'),
      iss: 'https://api.github.com',
      avatar_url: PICTURE.picture,
      user_name: 'ada',
      preferred_username: 'ada',
    },
  },
  {
    provider: 'gitlab',
    toml: 'url = "https://gitlab.example.com/"',
    authorize: 'https://gitlab.example.com/oauth/authorize',
    scope: 'read_user',
    token: 'https://gitlab.example.com/oauth/token',
    responses: {
      'https://gitlab.example.com/api/v4/user': {
        id: 2,
        email: 'ada@idp.test',
        name: 'Ada L',
        avatar_url: PICTURE.picture,
        confirmed_at: '2020-01-01',
      },
      'https://gitlab.example.com/api/v4/user/emails': [{ id: 1, email: 'other@idp.test' }],
    },
    identity: { ...MAIL, ...NAME, ...PICTURE, ...id('2'), iss: 'https://gitlab.example.com' },
  },
  {
    provider: 'google',
    authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
    scope: 'email profile',
    token: 'https://oauth2.googleapis.com/token',
    idToken: {
      iss: 'https://accounts.google.com',
      sub: 'o1',
      email: 'ada@idp.test',
      email_verified: true,
      name: 'Ada L',
      picture: PICTURE.picture,
      hd: 'idp.test',
    },
    identity: {
      ...MAIL,
      ...NAME,
      ...PICTURE,
      ...id('o1'),
      iss: 'https://accounts.google.com',
      custom_claims: { hd: 'idp.test' },
    },
  },
  {
    provider: 'kakao',
    authorize: 'https://kauth.kakao.com/oauth/authorize',
    scope: 'account_email profile_image profile_nickname',
    token: 'https://kauth.kakao.com/oauth/token',
    responses: {
      'https://kapi.kakao.com/v2/user/me': {
        id: 3,
        kakao_account: {
          profile: { nickname: 'ada', profile_image_url: PICTURE.picture },
          email: 'ada@idp.test',
          is_email_valid: true,
          is_email_verified: true,
        },
      },
    },
    identity: {
      ...MAIL,
      ...id('3'),
      iss: 'https://kapi.kakao.com',
      name: 'ada',
      full_name: 'ada',
      user_name: 'ada',
      preferred_username: 'ada',
      avatar_url: PICTURE.picture,
    },
  },
  {
    provider: 'linkedin_oidc',
    authorize: 'https://api.linkedin.com/oauth/v2/authorization',
    scope: 'openid email profile',
    token: 'https://api.linkedin.com/oauth/v2/accessToken',
    idToken: {
      iss: 'https://www.linkedin.com/oauth',
      sub: 'l1',
      email: 'ada@idp.test',
      email_verified: 'true',
      given_name: 'Ada',
      family_name: 'L',
      locale: 'en_US',
      picture: PICTURE.picture,
    },
    identity: {
      ...MAIL,
      ...id('l1'),
      iss: 'https://www.linkedin.com/oauth',
      name: 'Ada L',
      given_name: 'Ada',
      family_name: 'L',
      locale: 'en_US',
      picture: PICTURE.picture,
    },
  },
  {
    provider: 'notion',
    authorize: 'https://api.notion.com/v1/oauth/authorize',
    scope: null,
    token: 'https://api.notion.com/v1/oauth/token',
    basic: true,
    responses: {
      'https://api.notion.com/v1/users/me': {
        bot: {
          owner: { user: { id: 'n1', name: 'Ada L', avatar_url: PICTURE.picture, person: { email: 'ada@idp.test' } } },
        },
      },
    },
    identity: { ...MAIL, ...NAME, ...PICTURE, ...id('n1'), iss: 'https://api.notion.com' },
  },
  {
    provider: 'slack_oidc',
    authorize: 'https://slack.com/openid/connect/authorize',
    scope: 'profile email openid',
    token: 'https://slack.com/api/openid.connect.token',
    responses: {
      'https://slack.com/api/openid.connect.userInfo': {
        'https://slack.com/user_id': 's1',
        'https://slack.com/team_id': 't1',
        email: 'ada@idp.test',
        email_verified: true,
        name: 'Ada L',
        picture: PICTURE.picture,
      },
    },
    identity: {
      ...MAIL,
      ...NAME,
      ...PICTURE,
      ...id('s1'),
      iss: 'https://slack.com/api',
      custom_claims: { 'https://slack.com/team_id': 't1' },
    },
  },
  {
    provider: 'snapchat',
    authorize: 'https://accounts.snapchat.com/accounts/oauth2/auth',
    scope:
      'https://auth.snapchat.com/oauth2/api/user.external_id https://auth.snapchat.com/oauth2/api/user.display_name https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar',
    token: 'https://accounts.snapchat.com/accounts/oauth2/token',
    responses: {
      'https://kit.snapchat.com/v1/me': {
        data: {
          me: { externalId: 'c1', displayName: 'Ada L', bitmoji: { avatar: PICTURE.picture }, email: 'ada@idp.test' },
        },
      },
    },
    identity: {
      ...MAIL,
      ...NAME,
      ...PICTURE,
      ...id('c1'),
      iss: 'https://accounts.snapchat.com/accounts/oauth2/token',
      slug: 'Ada L',
    },
  },
  {
    provider: 'spotify',
    authorize: 'https://accounts.spotify.com/authorize',
    scope: 'user-read-email',
    token: 'https://accounts.spotify.com/api/token',
    responses: {
      'https://api.spotify.com/v1/me': {
        id: 'p1',
        display_name: 'Ada L',
        email: 'ada@idp.test',
        images: [
          { url: 'https://p.test/small.png', height: 1, width: 1 },
          { url: PICTURE.picture, height: 9, width: 9 },
        ],
      },
    },
    identity: { ...MAIL, ...NAME, ...PICTURE, ...id('p1'), iss: 'https://api.spotify.com/v1', email_verified: false },
  },
  {
    provider: 'twitch',
    authorize: 'https://id.twitch.tv/oauth2/authorize',
    scope: 'user:read:email',
    token: 'https://id.twitch.tv/oauth2/token',
    answer: { scope: ['user:read:email'] },
    responses: {
      'https://api.twitch.tv/helix/users': {
        data: [
          {
            id: 'w1',
            login: 'ada',
            display_name: 'Ada L',
            type: '',
            broadcaster_type: 'partner',
            description: 'x',
            profile_image_url: PICTURE.picture,
            offline_image_url: '',
            view_count: 5,
            email: 'ada@idp.test',
          },
        ],
      },
    },
    identity: {
      ...MAIL,
      ...PICTURE,
      ...id('w1'),
      iss: 'https://api.twitch.tv',
      name: 'ada',
      full_name: 'ada',
      nickname: 'Ada L',
      slug: 'Ada L',
      custom_claims: { broadcaster_type: 'partner', description: 'x', type: '', offline_image_url: '', view_count: 5 },
    },
  },
  {
    provider: 'vercel_marketplace',
    authorize: 'https://api.vercel.com/oauth/v2/authorization',
    scope: null,
    token: 'https://api.vercel.com/oauth/v2/accessToken',
    idToken: {
      iss: 'https://marketplace.vercel.com',
      sub: 'account:1:user:2',
      global_user_id: 'v1',
      user_email: 'ada@idp.test',
      user_name: 'Ada L',
      user_avatar_url: PICTURE.picture,
    },
    identity: {
      ...MAIL,
      ...id('global_user_id:v1'),
      iss: 'https://marketplace.vercel.com',
      name: 'Ada L',
      picture: PICTURE.picture,
    },
  },
  {
    provider: 'workos',
    authorize: 'https://api.workos.com/sso/authorize',
    scope: null,
    token: 'https://api.workos.com/sso/token',
    answer: {
      token_type: undefined,
      profile: {
        id: 'k1',
        email: 'ada@idp.test',
        first_name: 'Ada',
        last_name: 'L',
        connection_id: 'c',
        organization_id: 'o',
      },
    },
    identity: {
      ...MAIL,
      ...NAME,
      ...id('k1'),
      iss: 'https://api.workos.com',
      custom_claims: { connection_id: 'c', organization_id: 'o' },
    },
  },
  {
    provider: 'x',
    authorize: 'https://x.com/i/oauth2/authorize',
    scope: 'users.email tweet.read users.read offline.access',
    token: 'https://api.x.com/2/oauth2/token',
    basic: true,
    responses: {
      'https://api.x.com/2/users/me': {
        data: {
          id: 'x1',
          name: 'Ada L',
          username: 'ada',
          confirmed_email: 'ada@idp.test',
          profile_image_url: PICTURE.picture,
          created_at: '2020',
        },
      },
    },
    identity: {
      ...MAIL,
      ...NAME,
      ...PICTURE,
      ...id('x1'),
      iss: 'https://api.x.com',
      user_name: 'ada',
      preferred_username: 'ada',
      profile: 'https://x.com/ada',
      custom_claims: { created_at: '2020' },
    },
  },
  {
    provider: 'zoom',
    authorize: 'https://zoom.us/oauth/authorize',
    scope: null,
    token: 'https://zoom.us/oauth/token',
    basic: true,
    responses: {
      'https://api.zoom.us/v2/users/me': {
        id: 'm1',
        first_name: 'Ada',
        last_name: 'L',
        email: 'ada@idp.test',
        verified: 1,
        login_type: '100',
        pic_url: PICTURE.picture,
      },
    },
    identity: { ...MAIL, ...NAME, ...PICTURE, ...id('m1'), iss: 'https://api.zoom.us/v2' },
  },
]

let current: Case
let externalServices: Awaited<ReturnType<typeof startExternalServices>>
let auth: TestAuth
beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'idp', alg: 'RS256' }]
  const idToken = (claims: Json) =>
    new SignJWT({ ...claims, aud: 'client-1', iat: now(), exp: now() + 60 })
      .setProtectedHeader({ alg: 'RS256', kid: 'idp' })
      .sign(privateKey)
  const tokens = new Map<Case, string>()
  for (const one of CASES) if (one.idToken) tokens.set(one, await idToken(one.idToken))
  externalServices = await startExternalServices((asked) => {
    const place = asked.url.origin + asked.url.pathname
    if (asked.url.pathname.endsWith('/openid-configuration')) {
      const issuer = current.idToken?.iss ?? ''
      return { body: { issuer, jwks_uri: `${issuer}/keys` } }
    }
    if (asked.url.pathname.endsWith('/keys')) return { body: { keys } }
    if (place === current.token) {
      const id_token = tokens.get(current)
      return {
        body: {
          access_token: 'at',
          refresh_token: 'rt',
          token_type: 'Bearer',
          ...current.answer,
          ...(id_token ? { id_token } : {}),
        },
      }
    }
    const responses = current.responses?.[place]
    return responses === undefined || asked.authorization !== 'Bearer at'
      ? { status: 404, body: {} }
      : { body: responses }
  })
  const external = CASES.map(
    ({ provider, toml = '' }) =>
      `[auth.external.${provider}]\nenabled = true\nclient_id = "client-1"\nsecret = "s-1"\n${toml}\n`,
  )
  auth = await startTestAuth(external.join('\n'), '', { fetch: externalServices.fetch })
})
afterAll(async () => {
  await auth.close()
  await externalServices.close()
})

const now = () => Math.floor((auth?.clock.now().getTime() ?? Date.now()) / 1000)

const credentialsOf = ({ authorization, form }: ReceivedRequest) =>
  authorization ? { authorization } : { client_id: form.client_id, client_secret: form.client_secret }

test.each(CASES)('$provider', async (one) => {
  current = one
  await auth.db.query({ text: 'delete from auth.users', values: [] })
  const start = await fetch(`${auth.url}/auth/v1/authorize?provider=${one.provider}`, { redirect: 'manual' })
  const there = new URL(start.headers.get('location') ?? '')
  expect(there.origin + there.pathname).toBe(one.authorize)
  expect(there.searchParams.get('scope')).toBe(one.scope)
  expect(there.searchParams.get('response_mode')).toBe(one.provider === 'apple' ? 'form_post' : null)
  expect(there.searchParams.has('code_challenge')).toBe(one.provider === 'x')

  const back = new URLSearchParams({ code: 'c-1', state: there.searchParams.get('state') ?? '', ...one.params })
  const end = await fetch(`${auth.url}/auth/v1/callback?${back}`, { redirect: 'manual' })
  const fragment = new URLSearchParams(new URL(end.headers.get('location') ?? '').hash.slice(1))
  expect(externalServices.requests.find(({ url }) => url.origin + url.pathname === one.token)).toBeDefined()
  const exchange = externalServices.requests.findLast(
    ({ url }) => url.origin + url.pathname === one.token,
  ) as ReceivedRequest
  expect(exchange.form).toMatchObject({ grant_type: 'authorization_code', code: 'c-1' })
  expect(credentialsOf(exchange)).toEqual(
    one.basic ? { authorization: `Basic ${btoa('client-1:s-1')}` } : { client_id: 'client-1', client_secret: 's-1' },
  )
  const unproved = one.provider === 'spotify'
  expect(fragment.get('error_description')).toBe(null)
  expect(fragment.get('provider_token')).toBe('at')
  const { rows } = await auth.db.query({ text: 'select identity_data from auth.identities', values: [] })
  expect(rows).toEqual([{ identity_data: one.identity }])
  expect(unproved).toBe(one.identity.email_verified === false)
})

test('requests to facebook include a proof made with the app secret', () => {
  const asked = externalServices.requests.find(({ url }) => url.pathname === '/me' && url.host === 'graph.facebook.com')
  expect(asked?.url.searchParams.get('appsecret_proof')).toMatch(/^[0-9a-f]{64}$/)
})
