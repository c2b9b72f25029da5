import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Json } from '../../../models/params.ts'
import { claimText, nameClaims, onlyEmail, pictureClaims, profileOf, usernameClaims } from '../../profile.ts'
import { hostOf, type ProviderFactory } from '../../provider.ts'

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner: unknown, key) => (inner as Json | null | undefined)?.[key], value)

const Avatars = z.array(z.object({ url: z.string(), height: z.number().nullish(), width: z.number().nullish() }))

function largest(images: unknown): string {
  const area = ({ height, width }: { height?: number | null | undefined; width?: number | null | undefined }) =>
    (height ?? 0) * (width ?? 0)
  const avatars = Avatars.safeParse(images).data ?? []
  return avatars.reduce((best, one) => (best && area(best) >= area(one) ? best : one), avatars[0])?.url ?? ''
}

export const SOCIAL: Readonly<Record<string, ProviderFactory>> = {
  discord: (url) => {
    const base = `${hostOf(url, 'discord.com')}/api`
    return {
      authorizeUrl: `${base}/oauth2/authorize`,
      tokenUrl: `${base}/oauth2/token`,
      scopes: ['email', 'identify'],
      async profile({ ask }) {
        const user = await ask(`${base}/users/@me`)
        const custom_claims = { global_name: user.global_name }
        const name = `${claimText(user.username)}#${claimText(user.discriminator)}`
        return profileOf(
          {
            iss: base,
            sub: user.id,
            name,
            full_name: user.username,
            ...pictureClaims(discordAvatar(user)),
            custom_claims,
          },
          onlyEmail(user.email, { verified: user.verified === true }),
        )
      },
    }
  },
  facebook: (url) => {
    const api = hostOf(url, 'graph.facebook.com')
    const me = `${api}/me?fields=email,first_name,last_name,name,picture`
    return {
      authorizeUrl: `${hostOf(url, 'www.facebook.com')}/dialog/oauth`,
      tokenUrl: `${api}/oauth/access_token`,
      scopes: ['email'],
      async profile({ ask, accessToken, secret }) {
        const proof = createHmac('sha256', secret).update(accessToken).digest('hex')
        const user = await ask(`${me}&appsecret_proof=${proof}`)
        const name = `${claimText(user.first_name)} ${claimText(user.last_name)}`.trim()
        const claims = { ...nameClaims(name), nickname: user.name, slug: user.name }
        return profileOf(
          { iss: me, sub: user.id, ...claims, ...pictureClaims(at(user.picture, 'data', 'url')) },
          onlyEmail(user.email, { verified: true }),
        )
      },
    }
  },
  kakao: (url) => {
    const auth = hostOf(url, 'kauth.kakao.com')
    const api = hostOf(url, 'kapi.kakao.com')
    return {
      authorizeUrl: `${auth}/oauth/authorize`,
      tokenUrl: `${auth}/oauth/token`,
      scopes: ['account_email', 'profile_image', 'profile_nickname'],
      async profile({ ask }) {
        const user = await ask(`${api}/v2/user/me`)
        const account = (user.kakao_account ?? {}) as Json
        const name = at(account, 'profile', 'nickname')
        const avatar_url = at(account, 'profile', 'profile_image_url')
        return profileOf(
          { iss: api, sub: user.id, ...nameClaims(name), ...usernameClaims(name), avatar_url },
          onlyEmail(account.email, { verified: account.is_email_verified === true && account.is_email_valid === true }),
        )
      },
    }
  },
  notion: (url) => {
    const base = hostOf(url, 'api.notion.com')
    return {
      authorizeUrl: `${base}/v1/oauth/authorize`,
      tokenUrl: `${base}/v1/oauth/token`,
      scopes: [],
      basic: true,
      async profile({ ask }) {
        const user = at(await ask(`${base}/v1/users/me`, { 'notion-version': '2021-08-16' }), 'bot', 'owner', 'user')
        return profileOf(
          { iss: base, sub: at(user, 'id'), ...nameClaims(at(user, 'name')), ...pictureClaims(at(user, 'avatar_url')) },
          onlyEmail(at(user, 'person', 'email'), { verified: true }),
        )
      },
    }
  },
  snapchat: (url) => {
    const auth = `${hostOf(url, 'accounts.snapchat.com')}/accounts/oauth2`
    const query = new URLSearchParams({ query: '{me { externalId displayName bitmoji { avatar id } email } }' })
    const scope = 'https://auth.snapchat.com/oauth2/api/user.'
    return {
      authorizeUrl: `${auth}/auth`,
      tokenUrl: `${auth}/token`,
      scopes: [`${scope}external_id`, `${scope}display_name`, `${scope}bitmoji.avatar`],
      async profile({ ask }) {
        const me = at(await ask(`${hostOf(url, 'kit.snapchat.com')}/v1/me?${query}`), 'data', 'me')
        const name = at(me, 'displayName')
        const iss = 'https://accounts.snapchat.com/accounts/oauth2/token'
        return profileOf(
          {
            iss,
            sub: at(me, 'externalId'),
            ...nameClaims(name),
            slug: name,
            ...pictureClaims(at(me, 'bitmoji', 'avatar')),
          },
          onlyEmail(at(me, 'email'), { verified: true }),
        )
      },
    }
  },
  spotify: (url) => {
    const auth = hostOf(url, 'accounts.spotify.com')
    const api = hostOf(url, 'api.spotify.com/v1')
    return {
      authorizeUrl: `${auth}/authorize`,
      tokenUrl: `${auth}/api/token`,
      scopes: ['user-read-email'],
      async profile({ ask }) {
        const user = await ask(`${api}/me`)
        // Spotify doesn't report whether an address was confirmed.
        return profileOf(
          { iss: api, sub: user.id, ...nameClaims(user.display_name), ...pictureClaims(largest(user.images)) },
          onlyEmail(user.email, { verified: false }),
        )
      },
    }
  },
  twitch: (url) => {
    const auth = `${hostOf(url, 'id.twitch.tv')}/oauth2`
    const api = hostOf(url, 'api.twitch.tv')
    return {
      authorizeUrl: `${auth}/authorize`,
      tokenUrl: `${auth}/token`,
      scopes: ['user:read:email'],
      async profile({ ask, clientId }) {
        const user = at(await ask(`${api}/helix/users`, { 'client-id': clientId }), 'data', '0') as Json | undefined
        if (!user) throw new Error('unable to find user with twitch provider')
        const { broadcaster_type, description, type, offline_image_url, view_count } = user
        const custom_claims = { broadcaster_type, description, type, offline_image_url, view_count }
        const claims = {
          ...nameClaims(user.login),
          nickname: user.display_name,
          slug: user.display_name,
          custom_claims,
        }
        return profileOf(
          { iss: api, sub: user.id, ...claims, ...pictureClaims(user.profile_image_url) },
          onlyEmail(user.email, { verified: true }),
        )
      },
    }
  },
  twitter: (url) => {
    const api = hostOf(url, 'api.twitter.com')
    const me = `${api}/1.1/account/verify_credentials.json`
    return {
      requestTokenUrl: `${api}/oauth/request_token`,
      authorizeUrl: `${api}/oauth/authenticate`,
      tokenUrl: `${api}/oauth/access_token`,
      scopes: [],
      async profile({ ask }) {
        const user = await ask(`${me}?include_email=true&include_entities=false&skip_status=true`)
        const claims = {
          ...nameClaims(user.name),
          ...usernameClaims(user.screen_name),
          ...pictureClaims(user.profile_image_url_https),
        }
        return profileOf({ iss: me, sub: user.id_str, ...claims }, onlyEmail(user.email, { verified: true }))
      },
    }
  },
  x: (url) => {
    const api = hostOf(url, 'api.x.com')
    const fields = 'id,name,username,confirmed_email,profile_image_url,url,created_at'
    return {
      authorizeUrl: `${hostOf(url, 'x.com')}/i/oauth2/authorize`,
      tokenUrl: `${api}/2/oauth2/token`,
      scopes: ['users.email', 'tweet.read', 'users.read', 'offline.access'],
      basic: true,
      pkce: true,
      async profile({ ask }) {
        const user = ((await ask(`${api}/2/users/me?user.fields=${fields}`)).data ?? {}) as Json
        const claims = {
          ...nameClaims(user.name),
          ...usernameClaims(user.username),
          ...pictureClaims(user.profile_image_url),
          profile: `https://x.com/${claimText(user.username)}`,
          website: user.url,
          custom_claims: { created_at: user.created_at },
        }
        return profileOf({ iss: api, sub: user.id, ...claims }, onlyEmail(user.confirmed_email, { verified: true }))
      },
    }
  },
}

/** @see https://discord.com/developers/docs/reference#image-formatting */
function discordAvatar({ id, avatar: hash, discriminator }: Json): string {
  const cdn = 'https://cdn.discordapp.com'
  const avatar = claimText(hash)
  if (!avatar) return `${cdn}/embed/avatars/${Number(discriminator ?? 0) % 5}.png`
  return `${cdn}/avatars/${claimText(id)}/${avatar}.${avatar.startsWith('a_') ? 'gif' : 'png'}`
}
