import type { Json } from '../../../models/params.ts'
import { claimText, nameClaims, pictureClaims, profileOf, usernameClaims } from '../../profile.ts'
import { hostOf, type ProviderFactory } from '../../provider.ts'

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : [])

export const CODE_HOSTS: Readonly<Record<string, ProviderFactory>> = {
  bitbucket: (url) => {
    const base = hostOf(url, 'bitbucket.org')
    const api = `${hostOf(url, 'api.bitbucket.org')}/2.0`
    return {
      authorizeUrl: `${base}/site/oauth2/authorize`,
      tokenUrl: `${base}/site/oauth2/access_token`,
      scopes: ['account', 'email'],
      async profile({ ask }) {
        const [user, emails] = await Promise.all([ask(`${api}/user`), ask(`${api}/user/emails`)])
        const avatar =
          (user.avatar as Json | undefined)?.href ??
          ((user.links as Json | undefined)?.avatar as Json | undefined)?.href
        return profileOf(
          { iss: api, sub: user.uuid, ...nameClaims(user.display_name), ...pictureClaims(avatar) },
          listOf(emails.values).map(({ email, is_confirmed, is_primary }) => ({
            email: claimText(email),
            verified: is_confirmed === true,
            primary: is_primary === true,
          })),
        )
      },
    }
  },
  figma: (url) => {
    const base = hostOf(url, 'www.figma.com')
    const api = hostOf(url, 'api.figma.com')
    return {
      authorizeUrl: `${base}/oauth`,
      tokenUrl: `${api}/v1/oauth/token`,
      scopes: ['current_user:read'],
      basic: true,
      async profile({ ask }) {
        const user = await ask(`${api}/v1/me`)
        return profileOf({ iss: api, sub: user.id, ...nameClaims(user.handle), avatar_url: user.img_url }, [
          { email: claimText(user.email), verified: true, primary: true },
        ])
      },
    }
  },
  fly: (url) => {
    const base = hostOf(url, 'api.fly.io')
    return {
      authorizeUrl: `${base}/oauth/authorize`,
      tokenUrl: `${base}/oauth/token`,
      scopes: ['read'],
      async profile({ ask }) {
        const user = await ask(`${base}/oauth/token/info`)
        const { resource_owner_id, organizations, application, scope, created_at } = user
        const custom_claims = { resource_owner_id, organizations, application, scope, created_at }
        return profileOf({ iss: base, sub: user.user_id, full_name: user.user_name, custom_claims }, [
          { email: claimText(user.email), verified: true, primary: true },
        ])
      },
    }
  },
  github: (url) => {
    const base = hostOf(url, 'github.com')
    const api = url ? `${base}/api/v3` : 'https://api.github.com'
    return {
      authorizeUrl: `${base}/login/oauth/authorize`,
      tokenUrl: `${base}/login/oauth/access_token`,
      scopes: ['user:email'],
      async profile({ ask }) {
        const [user, emails] = await Promise.all([ask(`${api}/user`), ask(`${api}/user/emails`)])
        return profileOf(
          {
            iss: api,
            sub: user.id,
            ...nameClaims(user.name),
            avatar_url: user.avatar_url,
            ...usernameClaims(user.login),
          },
          listOf(emails).map(({ email, verified, primary }) => ({
            email: claimText(email),
            verified: verified === true,
            primary: primary === true,
          })),
        )
      },
    }
  },
  gitlab: (url) => {
    const base = hostOf(url, 'gitlab.com')
    return {
      authorizeUrl: `${base}/oauth/authorize`,
      tokenUrl: `${base}/oauth/token`,
      scopes: ['read_user'],
      async profile({ ask }) {
        const [user, emails] = await Promise.all([ask(`${base}/api/v4/user`), ask(`${base}/api/v4/user/emails`)])
        // GitLab only reports for the primary address whether it was confirmed.
        const more = listOf(emails).map(({ email }) => ({ email: claimText(email), verified: false, primary: false }))
        const own = { email: claimText(user.email), verified: claimText(user.confirmed_at) !== '', primary: true }
        return profileOf({ iss: base, sub: user.id, ...nameClaims(user.name), ...pictureClaims(user.avatar_url) }, [
          ...more,
          own,
        ])
      },
    }
  },
}
