import type { AuthDeps } from '../deps.ts'
import { type Call, json } from '../http/call.ts'
import { activeProvider } from '../sms/sender.ts'

const EXTERNAL = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'snapchat',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'keycloak',
  'kakao',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'spotify',
  'slack',
  'slack_oidc',
  'workos',
  'twitch',
  'twitter',
  'zoom',
] as const

/** GET /settings: what a sign-in page needs to know about the project. */
export async function settings({ config }: AuthDeps, _call: Call): Promise<Response> {
  return json({
    external: {
      anonymous_users: config.enable_anonymous_sign_ins,
      ...Object.fromEntries(EXTERNAL.map((name) => [name, config.external[name]?.enabled ?? false])),
      email: config.email.enabled,
      phone: config.sms.enabled,
    },
    disable_signup: !config.enable_signup,
    mailer_autoconfirm: !config.email.enable_confirmations,
    phone_autoconfirm: !config.sms.enable_confirmations,
    sms_provider: activeProvider(config) ?? '',
    saml_enabled: config.saml.enabled,
    saml_private_key_next_configured: false,
    passkeys_enabled: config.passkey?.enabled ?? false,
  })
}

export async function health(): Promise<Response> {
  return json({
    version: 'undock',
    name: 'GoTrue',
    description: 'GoTrue is a user registration and authentication API',
  })
}
