import type { AuthConfig, AuthDeps } from '../../deps.ts'
import { findCustomProvider } from '../custom/custom-providers.ts'
import { customProvider } from '../custom/sign-in.ts'
import type { KnownProvider, ProviderFactory } from '../provider.ts'
import { CODE_HOSTS } from './catalog/code-hosts.ts'
import { IDENTITY_PROVIDERS } from './catalog/identity-providers.ts'
import { SOCIAL } from './catalog/social.ts'

/** @see supabase/auth internal/api/provider: endpoints, scopes and claims of each */
const PROVIDERS: Readonly<Record<string, ProviderFactory>> = { ...IDENTITY_PROVIDERS, ...CODE_HOSTS, ...SOCIAL }

/** Returns a configured provider, or why it can't be used. */
export async function findProvider(deps: AuthDeps, name: string): Promise<KnownProvider | string> {
  if (!name.startsWith('custom:')) return configured(deps.config, name)
  const custom = await findCustomProvider(deps.db, name)
  if (!custom) return `custom provider ${name} not found`
  return custom.enabled ? customProvider(deps, custom) : `custom provider ${name} is disabled`
}

function configured(config: AuthConfig, name: string): KnownProvider | string {
  const make = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
  if (!make) return `Provider ${name} could not be found`
  const settings = config.external[name]
  if (!settings?.enabled) return 'provider is not enabled'
  // Several ids may be given, for ID tokens of an app's platforms; the first is the web client's.
  const [clientId = ''] = settings.client_id.split(',')
  if (clientId === '') return 'missing OAuth client ID'
  if (settings.secret === '') return 'missing OAuth secret'
  if (name === 'keycloak' && settings.url === '') return 'unable to find URL for the Keycloak provider'
  return {
    ...make(settings.url),
    clientId: clientId.trim(),
    secret: settings.secret,
    emailOptional: settings.email_optional,
  }
}
