import { EmailSection } from './auth-email.ts'
import { SMS_TEMPLATE, SmsSection } from './auth-sms.ts'
import { choice, count, duration, flag, list, named, optionalChoice, optionalTable, table, text } from './fields.ts'

const PasswordRequirements = choice(
  ['', 'letters_digits', 'lower_upper_letters_digits', 'lower_upper_letters_digits_symbols'],
  '',
)

const factor = { enroll_enabled: flag(false), verify_enabled: flag(false) }

const hook = () => optionalTable({ enabled: flag(false), uri: text(), secrets: text() })

export const AuthSection = table({
  enabled: flag(true),
  site_url: text('http://127.0.0.1:3000'),
  /** Left empty, it becomes the API's external URL with /auth/v1. */
  external_url: text(),
  additional_redirect_urls: list(['https://127.0.0.1:3000']),
  jwt_expiry: count(3600),
  /** Left empty, it becomes `external_url`. */
  jwt_issuer: text(),
  enable_refresh_token_rotation: flag(true),
  refresh_token_reuse_interval: count(10),
  enable_manual_linking: flag(false),
  enable_signup: flag(true),
  enable_anonymous_sign_ins: flag(false),
  minimum_password_length: count(6),
  password_requirements: PasswordRequirements,
  signing_keys_path: text(),
  passkey: optionalTable({ enabled: flag(false) }),
  webauthn: optionalTable({ rp_display_name: text(), rp_id: text(), rp_origins: list() }),
  rate_limit: table({
    anonymous_users: count(30),
    token_refresh: count(150),
    sign_in_sign_ups: count(30),
    token_verifications: count(30),
    email_sent: count(2),
    sms_sent: count(30),
    web3: count(30),
  }),
  captcha: optionalTable({
    enabled: flag(false),
    provider: optionalChoice(['hcaptcha', 'turnstile']),
    secret: text(),
  }),
  hook: table({
    mfa_verification_attempt: hook(),
    password_verification_attempt: hook(),
    custom_access_token: hook(),
    send_sms: hook(),
    send_email: hook(),
    before_user_created: hook(),
  }),
  mfa: table({
    max_enrolled_factors: count(10),
    totp: table(factor),
    phone: table({ ...factor, otp_length: count(6), template: text(SMS_TEMPLATE), max_frequency: duration(5) }),
    web_authn: table(factor),
  }),
  /** Zero is "no limit". */
  sessions: table({ timebox: duration(0), inactivity_timeout: duration(0) }),
  email: EmailSection,
  sms: SmsSection,
  external: named({
    enabled: flag(false),
    client_id: text(),
    secret: text(),
    url: text(),
    redirect_uri: text(),
    skip_nonce_check: flag(false),
    email_optional: flag(false),
  }),
  web3: table({ solana: table({ enabled: flag(false) }), ethereum: table({ enabled: flag(false) }) }),
  /** SAML single sign-on. The CLI has no such section; self-hosted Auth is told by GOTRUE_SAML_ENABLED and
   *  GOTRUE_SAML_PRIVATE_KEY: an RSA key as PKCS#1 in base64. */
  saml: table({ enabled: flag(false), private_key: text() }),
  oauth_server: table({
    enabled: flag(false),
    allow_dynamic_registration: flag(false),
    authorization_url_path: text('/oauth/consent'),
  }),
  third_party: table({
    firebase: table({ enabled: flag(false), project_id: text() }),
    auth0: table({ enabled: flag(false), tenant: text(), tenant_region: text() }),
    aws_cognito: table({ enabled: flag(false), user_pool_id: text(), user_pool_region: text() }),
    clerk: table({ enabled: flag(false), domain: text() }),
    workos: table({ enabled: flag(false), issuer_url: text() }),
  }),
  // The keys that `supabase start` uses on every machine: public, and good for nothing beyond one.
  publishable_key: text('sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'),
  secret_key: text('sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'),
  jwt_secret: text('super-secret-jwt-token-with-at-least-32-characters-long'),
  /** Empty unless set: then the token is signed from `jwt_secret` or the first signing key. */
  anon_key: text(),
  /** As `anon_key`. */
  service_role_key: text(),
})
