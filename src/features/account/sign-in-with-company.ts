import { isAuthApiError } from '@supabase/supabase-js'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation, orThrow } from '../../lib/mutations.ts'
import { callbackUrl } from '../../lib/session/next-path.ts'

/** Opens the company's identity provider, which returns to `/auth/callback`. */
export const signInWithCompany = defineMutation({
  mutationFn: ({ domain, next }: { domain: string; next: string }) =>
    orThrow(supabase.auth.signInWithSSO({ domain, options: { redirectTo: callbackUrl(next) } })),
})

const NOT_IN_USE = new Set(['saml_provider_disabled', 'sso_provider_disabled'])

/** Explains why it didn't open. Whether a domain has a company is public. */
export function describeCompanyError(error: unknown, domain: string): string {
  const code = isAuthApiError(error) ? (error.code ?? '') : ''
  if (code === 'sso_provider_not_found')
    return t('No company with emails at {domain} is set up here. Check your email, or sign in another way.', {
      domain,
    })
  if (NOT_IN_USE.has(code))
    return t('Company sign-in is unavailable at the moment. Ask the people who run this service.')
  return describeAuthError(error)
}

/** Returns the domain of a mail address; undefined if it isn't one. */
export const domainOf = (address: string): string | undefined =>
  /^\S+@([^\s@]+\.[^\s@]+)$/.exec(address.trim())?.[1]?.toLowerCase()
