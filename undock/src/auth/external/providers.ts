import type { AuthConfig } from '../deps.ts'
import type { Json } from '../params.ts'
import { claimText, oidcProfile, type Profile, profileOf } from './profile.ts'

/** Reads JSON from the provider on behalf of who signs in. */
export type Ask = (url: string) => Promise<Json>

/** Where a provider's endpoints are, what is asked of it, and how it tells of someone. */
export type Provider = {
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly scopes: readonly string[]
  /** Who an ID token that comes with the answer must be from. */
  readonly issuer: string
  /** Between the code's exchange and its start, proved by PKCE (RFC 7636). */
  readonly pkce: boolean
  profile(ask: Ask): Promise<Profile>
}

const hostOf = (url: string, fallback: string): string => (url || `https://${fallback}`).replace(/\/+$/, '')

type Make = (url: string) => Provider

/** @see supabase/auth internal/api/provider: endpoints, scopes and claims of each */
const PROVIDERS: Readonly<Record<string, Make>> = {
  azure: (url) => {
    const base = hostOf(url, 'login.microsoftonline.com/common')
    return {
      issuer: `${base}/v2.0`,
      authorizeUrl: `${base}/oauth2/v2.0/authorize`,
      tokenUrl: `${base}/oauth2/v2.0/token`,
      scopes: ['openid'],
      pkce: false,
      profile: async (ask) => oidcProfile(await ask('https://graph.microsoft.com/oidc/userinfo'), `${base}/v2.0`),
    }
  },
  discord: (url) => {
    const base = `${hostOf(url, 'discord.com')}/api`
    return {
      issuer: base,
      authorizeUrl: `${base}/oauth2/authorize`,
      tokenUrl: `${base}/oauth2/token`,
      scopes: ['email', 'identify'],
      pkce: false,
      profile: async (ask) => discordProfile(await ask(`${base}/users/@me`), base),
    }
  },
  github: (url) => {
    const base = hostOf(url, 'github.com')
    const api = url ? `${base}/api/v3` : 'https://api.github.com'
    return {
      issuer: base,
      authorizeUrl: `${base}/login/oauth/authorize`,
      tokenUrl: `${base}/login/oauth/access_token`,
      scopes: ['user:email'],
      pkce: false,
      async profile(ask) {
        const [user, emails] = await Promise.all([ask(`${api}/user`), ask(`${api}/user/emails`)])
        const known = { iss: api, sub: user.id, name: user.name, picture: user.avatar_url, user_name: user.login }
        return profileOf(known, listOf(emails).map(readEmail))
      },
    }
  },
  gitlab: (url) => {
    const base = hostOf(url, 'gitlab.com')
    return {
      issuer: base,
      authorizeUrl: `${base}/oauth/authorize`,
      tokenUrl: `${base}/oauth/token`,
      scopes: ['read_user'],
      pkce: false,
      async profile(ask) {
        const user = await ask(`${base}/api/v4/user`)
        const verified = claimText(user.confirmed_at) !== ''
        const known = { iss: base, sub: user.id, name: user.name, picture: user.avatar_url }
        return profileOf(known, [{ email: claimText(user.email), verified, primary: true }])
      },
    }
  },
  google: () => ({
    issuer: 'https://accounts.google.com',
    authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    scopes: ['email', 'profile'],
    pkce: false,
    profile: async (ask) =>
      oidcProfile(await ask('https://openidconnect.googleapis.com/v1/userinfo'), 'https://accounts.google.com'),
  }),
  keycloak: (url) => {
    const base = `${url.replace(/\/+$/, '')}/protocol/openid-connect`
    return {
      issuer: url.replace(/\/+$/, ''),
      authorizeUrl: `${base}/auth`,
      tokenUrl: `${base}/token`,
      scopes: ['profile', 'email'],
      pkce: false,
      profile: async (ask) => oidcProfile(await ask(`${base}/userinfo`), url.replace(/\/+$/, '')),
    }
  },
  linkedin_oidc: (url) => {
    const base = hostOf(url, 'api.linkedin.com')
    return {
      issuer: 'https://www.linkedin.com/oauth',
      authorizeUrl: `${base}/oauth/v2/authorization`,
      tokenUrl: `${base}/oauth/v2/accessToken`,
      scopes: ['openid', 'email', 'profile'],
      pkce: false,
      profile: async (ask) => oidcProfile(await ask(`${base}/v2/userinfo`), 'https://www.linkedin.com/oauth'),
    }
  },
  slack_oidc: (url) => {
    const base = hostOf(url, 'slack.com')
    return {
      issuer: 'https://slack.com',
      authorizeUrl: `${base}/openid/connect/authorize`,
      tokenUrl: `${base}/api/openid.connect.token`,
      scopes: ['profile', 'email', 'openid'],
      pkce: false,
      profile: async (ask) => oidcProfile(await ask(`${base}/api/openid.connect.userInfo`), `${base}/api`),
    }
  },
}

export type KnownProvider = Provider & {
  readonly clientId: string
  readonly secret: string
  readonly emailOptional: boolean
}

/** A provider that the project has set up, or why it cannot be used. */
export function findProvider(config: AuthConfig, name: string): KnownProvider | string {
  const make = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
  if (!make) return `Provider ${name} could not be found`
  const settings = config.external[name]
  if (!settings?.enabled) return 'provider is not enabled'
  // Several may be given, for ID tokens of an app's platforms; the first is the web's.
  const [clientId = ''] = settings.client_id.split(',')
  if (clientId === '') return 'missing OAuth client ID'
  if (settings.secret === '') return 'missing OAuth secret'
  // Of the tenants that `common` serves, each signs as an issuer of its own; the answer is checked against one.
  if (name === 'azure' && /^$|\/(?:common|organizations|consumers)\/?$/.test(settings.url)) {
    return 'Azure needs the URL of its tenant'
  }
  if (name === 'keycloak' && settings.url === '') return 'unable to find URL for the Keycloak provider'
  return {
    ...make(settings.url),
    clientId: clientId.trim(),
    secret: settings.secret,
    emailOptional: settings.email_optional,
  }
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : [])

const readEmail = (entry: Json) => ({
  email: claimText(entry.email),
  verified: entry.verified === true,
  primary: entry.primary === true,
})

function discordProfile(user: Json, iss: string): Profile {
  const id = claimText(user.id)
  const avatar = claimText(user.avatar)
  const cdn = 'https://cdn.discordapp.com'
  const picture = avatar
    ? `${cdn}/avatars/${id}/${avatar}.${avatar.startsWith('a_') ? 'gif' : 'png'}`
    : `${cdn}/embed/avatars/${Number(user.discriminator ?? 0) % 5}.png`
  const known = { iss, sub: id, name: user.username, picture, custom_claims: { global_name: user.global_name } }
  return profileOf(known, [{ email: claimText(user.email), verified: user.verified === true, primary: true }])
}
