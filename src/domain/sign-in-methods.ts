import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { env } from '../lib/backend/env.ts'

const Settings = z.object({
  external: z.record(z.string(), z.boolean()),
  disable_signup: z.boolean(),
  passkeys_enabled: z.catch(z.boolean(), false),
  saml_enabled: z.catch(z.boolean(), false),
})

export const PROVIDERS = {
  apple: 'Apple',
  azure: 'Microsoft',
  bitbucket: 'Bitbucket',
  discord: 'Discord',
  facebook: 'Facebook',
  figma: 'Figma',
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  kakao: 'Kakao',
  keycloak: 'Keycloak',
  linkedin_oidc: 'LinkedIn',
  notion: 'Notion',
  slack_oidc: 'Slack',
  spotify: 'Spotify',
  twitch: 'Twitch',
  workos: 'WorkOS',
  zoom: 'Zoom',
} as const
export type ProviderName = keyof typeof PROVIDERS

/** Returns required scopes. Keycloak needs `openid`. */
export const scopesOf = (provider: string): { scopes?: string } => (provider === 'keycloak' ? { scopes: 'openid' } : {})

export const isProvider = (name: string): name is ProviderName => Object.hasOwn(PROVIDERS, name)

/** Whether passkeys work: they belong to a domain, so not for IP addresses.
 *  @param hostname From the browser; IPv6 addresses are in brackets. */
export const canHavePasskeys = (hostname: string): boolean => !/^(\d+\.){3}\d+$|^\[/.test(hostname)

/** The project's additional sign-in methods, from the auth service. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  staleTime: 10 * 60_000,
  queryFn: async ({ signal }) => {
    const response = await fetch(`${env.supabaseUrl}/auth/v1/settings`, {
      headers: { apikey: env.publishableKey },
      signal,
    })
    if (!response.ok) throw Object.assign(new Error(response.statusText), { status: response.status })
    const { external, passkeys_enabled, saml_enabled } = z.parse(Settings, await response.json())
    return {
      providers: Object.keys(external).filter((name) => external[name] && isProvider(name)) as ProviderName[],
      passkeys: passkeys_enabled && 'PublicKeyCredential' in globalThis && canHavePasskeys(location.hostname),
      companies: saml_enabled,
    }
  },
})
