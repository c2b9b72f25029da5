import {
  choice,
  count,
  dictionary,
  duration,
  flag,
  list,
  named,
  optionalChoice,
  optionalTable,
  optionalText,
  port,
  table,
  text,
} from './fields.ts'

const template = {
  subject: optionalText(),
  /** The content of the file at `content_path`; config.toml itself must not set it. */
  content: optionalText(),
  content_path: text(),
}

const EmailSection = table({
  enabled: flag(true),
  double_confirm_changes: flag(true),
  enable_confirmations: flag(false),
  secure_password_change: flag(false),
  /** Whether changing the password needs the current one, unless the user signed in with a one-time code. */
  require_current_password: flag(false),
  max_frequency: duration(1),
  otp_length: count(6),
  otp_expiry: count(3600),
  template: named(template),
  notification: named({ enabled: flag(false), ...template }),
  smtp: optionalTable({
    // The CLI enables an existing table unless it says otherwise.
    enabled: flag(true),
    host: text(),
    port: port(0),
    user: text(),
    pass: text(),
    admin_email: text(),
    sender_name: text(),
  }),
})

const twilio = { enabled: flag(false), account_sid: text(), message_service_sid: text(), auth_token: text() }

const SMS_TEMPLATE = 'Your code is {{ .Code }}'

const SmsSection = table({
  enabled: flag(false),
  enable_confirmations: flag(false),
  template: text(SMS_TEMPLATE),
  max_frequency: duration(5),
  test_otp: dictionary(),
  twilio: table({ ...twilio, content_sid: text() }),
  twilio_verify: table(twilio),
  messagebird: table({ enabled: flag(false), originator: text(), access_key: text() }),
  textlocal: table({ enabled: flag(false), sender: text(), api_key: text() }),
  vonage: table({ enabled: flag(false), from: text(), api_key: text(), api_secret: text() }),
})

const PasswordRequirements = choice(
  ['', 'letters_digits', 'lower_upper_letters_digits', 'lower_upper_letters_digits_symbols'],
  '',
)

const factor = { enroll_enabled: flag(false), verify_enabled: flag(false) }

const hook = () => optionalTable({ enabled: flag(false), uri: text(), secrets: text() })

export const AuthSection = table({
  enabled: flag(true),
  site_url: text('http://127.0.0.1:3000'),
  /** Empty means the API's external URL with /auth/v1. */
  external_url: text(),
  additional_redirect_urls: list(['https://127.0.0.1:3000']),
  jwt_expiry: count(3600),
  /** Empty means `external_url`. */
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
    /** Not in the CLI; self-hosted Auth has GOTRUE_MFA_RECOVERY_CODES_ENROLL_ENABLED and …_VERIFY_ENABLED. */
    recovery_codes: table(factor),
  }),
  /** 0 means no limit. */
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
  /** SAML, not in the CLI; like self-hosted Auth's GOTRUE_SAML_ENABLED and GOTRUE_SAML_PRIVATE_KEY (RSA, base64
   *  PKCS#1). */
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
  // The keys of `supabase start` on every machine, which are public and protect nothing.
  publishable_key: text('sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'),
  secret_key: text('sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'),
  jwt_secret: text('super-secret-jwt-token-with-at-least-32-characters-long'),
  /** Empty means a token signed with `jwt_secret` or the first signing key. */
  anon_key: text(),
  /** See `anon_key`. */
  service_role_key: text(),
})
