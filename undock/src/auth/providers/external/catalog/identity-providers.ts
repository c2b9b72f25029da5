import { decodeJwt } from 'jose'
import { z } from 'zod'
import { isTrue, nameClaims, onlyEmail, type Profile, pictureClaims, profileOf } from '../../profile.ts'
import { type ExchangeResult, hostOf, idTokenOf, type ProviderFactory } from '../../provider.ts'
import { idTokenProfile } from '../id-token-profile.ts'

const APPLE = ['https://appleid.apple.com', 'https://account.apple.com']
const AZURE = /^https:\/\/(?:login[.]microsoftonline[.]com|[a-z0-9-]+[.]ciamlogin[.]com)\/([^/]+)\/v2[.]0\/?$/

const AppleUser = z.object({ name: z.object({ firstName: z.string().default(''), lastName: z.string().default('') }) })

/** Apple sends the user's name only in the callback's form, and only at the first sign-in. */
function appleName(params: URLSearchParams): string {
  try {
    const { name } = AppleUser.parse(JSON.parse(params.get('user') ?? ''))
    return `${name.firstName} ${name.lastName}`.trim()
  } catch {
    return ''
  }
}

const issuerIn = (result: ExchangeResult): string => (result.idToken ? (decodeJwt(result.idToken).iss ?? '') : '')

export const IDENTITY_PROVIDERS: Readonly<Record<string, ProviderFactory>> = {
  apple: () => ({
    authorizeUrl: 'https://appleid.apple.com/auth/authorize',
    tokenUrl: 'https://appleid.apple.com/auth/token',
    scopes: ['email', 'name'],
    extra: { response_mode: 'form_post' },
    async profile(result): Promise<Profile> {
      const issuer = APPLE.find((one) => one === issuerIn(result)) ?? 'https://appleid.apple.com'
      const profile = idTokenProfile('apple', await idTokenOf(result, issuer))
      const name = appleName(result.params)
      return name ? { ...profile, claims: { ...profile.claims, ...nameClaims(name) } } : profile
    },
  }),
  azure: (url) => {
    const base = hostOf(url, 'login.microsoftonline.com/common')
    const tenant = /\/(?:common|organizations|consumers)$/.test(base) ? null : `${base}/v2.0`
    return {
      authorizeUrl: `${base}/oauth2/v2.0/authorize`,
      tokenUrl: `${base}/oauth2/v2.0/token`,
      scopes: ['openid'],
      async profile(result) {
        // `common` serves all tenants, each with its own issuer; a tenant's URL only allows that tenant.
        const issuer = issuerIn(result)
        if (!AZURE.test(issuer) || (tenant !== null && AZURE.test(tenant) && issuer !== tenant)) {
          throw new Error(`azure: ID token issuer not valid "${issuer}"`)
        }
        return idTokenProfile('azure', await idTokenOf(result, issuer))
      },
    }
  },
  google: () => ({
    authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    scopes: ['email', 'profile'],
    async profile(result) {
      if (result.idToken)
        return idTokenProfile('google', await result.verify(result.idToken, 'https://accounts.google.com'))
      const url = 'https://www.googleapis.com/userinfo/v2/me'
      const user = await result.ask(url)
      const verified = isTrue(user.verified_email) || isTrue(user.email_verified)
      return profileOf(
        { iss: url, sub: user.id, ...nameClaims(user.name), ...pictureClaims(user.picture) },
        onlyEmail(user.email, { verified }),
      )
    },
  }),
  keycloak: (url) => {
    const base = url.replace(/\/+$/, '')
    return {
      authorizeUrl: `${base}/protocol/openid-connect/auth`,
      tokenUrl: `${base}/protocol/openid-connect/token`,
      scopes: ['profile', 'email'],
      async profile({ ask }) {
        const { sub, name, email, email_verified, ...custom_claims } = await ask(
          `${base}/protocol/openid-connect/userinfo`,
        )
        return profileOf(
          { iss: base, sub, ...nameClaims(name), custom_claims },
          onlyEmail(email, { verified: isTrue(email_verified) }),
        )
      },
    }
  },
  linkedin_oidc: (url) => {
    const base = hostOf(url, 'api.linkedin.com')
    return {
      authorizeUrl: `${base}/oauth/v2/authorization`,
      tokenUrl: `${base}/oauth/v2/accessToken`,
      scopes: ['openid', 'email', 'profile'],
      profile: async (result) =>
        idTokenProfile('linkedin_oidc', await idTokenOf(result, 'https://www.linkedin.com/oauth')),
    }
  },
  slack_oidc: (url) => {
    const base = hostOf(url, 'slack.com')
    return {
      authorizeUrl: `${base}/openid/connect/authorize`,
      tokenUrl: `${base}/api/openid.connect.token`,
      scopes: ['profile', 'email', 'openid'],
      async profile({ ask }) {
        const user = await ask(`${base}/api/openid.connect.userInfo`)
        const custom_claims = { 'https://slack.com/team_id': user['https://slack.com/team_id'] }
        const sub = user['https://slack.com/user_id']
        return profileOf(
          { iss: `${base}/api`, sub, ...nameClaims(user.name), ...pictureClaims(user.picture), custom_claims },
          onlyEmail(user.email, { verified: isTrue(user.email_verified) }),
        )
      },
    }
  },
  vercel_marketplace: (url) => {
    const base = `${hostOf(url, 'api.vercel.com')}/oauth/v2`
    return {
      authorizeUrl: `${base}/authorization`,
      tokenUrl: `${base}/accessToken`,
      scopes: [],
      profile: async (result) =>
        idTokenProfile('vercel_marketplace', await idTokenOf(result, 'https://marketplace.vercel.com')),
    }
  },
  workos: (url) => {
    const base = hostOf(url, 'api.workos.com')
    return {
      authorizeUrl: `${base}/sso/authorize`,
      tokenUrl: `${base}/sso/token`,
      scopes: [],
      async profile({ answer }) {
        const { id, email, first_name, last_name, connection_id, organization_id } = WorkosUser.parse(answer.profile)
        const name = `${first_name} ${last_name}`.trim()
        const custom_claims = { connection_id, organization_id }
        return profileOf(
          { iss: base, sub: id, ...nameClaims(name), custom_claims },
          onlyEmail(email, { verified: true }),
        )
      },
    }
  },
  zoom: (url) => {
    const auth = `${hostOf(url, 'zoom.us')}/oauth`
    const api = `${hostOf(url, 'api.zoom.us')}/v2`
    return {
      authorizeUrl: `${auth}/authorize`,
      tokenUrl: `${auth}/token`,
      scopes: [],
      basic: true,
      async profile({ ask }) {
        const user = await ask(`${api}/users/me`)
        const name = `${user.first_name ?? ''} ${user.last_name ?? ''}`.trim()
        // Users who signed up with an address (login type 100) only own it once it's confirmed.
        const verified = user.login_type !== '100' || user.verified !== 0
        return profileOf(
          { iss: api, sub: user.id, ...nameClaims(name), ...pictureClaims(user.pic_url) },
          onlyEmail(user.email, { verified }),
        )
      },
    }
  },
}

const blank = z
  .string()
  .nullish()
  .transform((value) => value ?? '')

const WorkosUser = z.object({
  id: blank,
  email: blank,
  first_name: blank,
  last_name: blank,
  connection_id: blank,
  organization_id: blank,
})
