import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../testing/auth.ts'

let auth: TestAuth
const tokens: Record<string, string> = {}
beforeAll(async () => {
  auth = await startTestAuth(`
[auth]
enable_anonymous_sign_ins = true
[auth.email]
enable_confirmations = true
[auth.sms]
enabled = true
enable_confirmations = true
[auth.sms.test_otp]
15550000 = "123456"
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.phone]
enroll_enabled = true
verify_enabled = true
`)
  const admin = auth.client({ secret: true }).auth.admin
  const password = 'correct horse'
  await admin.createUser({ email: 'known@example.com', password, email_confirm: true })
  await admin.createUser({ phone: '15550001', password, phone_confirm: true })
  await admin.createUser({ email: 'unproved@example.com', password })
  await admin.createUser({ email: 'change@example.com', password, email_confirm: true })
  const { data: byMail } = await auth.client().auth.signInWithPassword({ email: 'known@example.com', password })
  const { data: byPhone } = await auth.client().auth.signInWithPassword({ phone: '15550001', password })
  const { data: anonymous } = await auth.client().auth.signInAnonymously()
  tokens.user = byMail.session?.access_token ?? ''
  tokens.phone = byPhone.session?.access_token ?? ''
  tokens.anonymous = anonymous.session?.access_token ?? ''
  tokens.admin = auth.identity.keys.serviceRole
})
afterAll(() => auth.close())

const PKCE = 'PKCE flow requires code_challenge_method and code_challenge'
const CHALLENGE = 'c'.repeat(43)
const NO_SENDER = [500, 'unexpected_failure', 'Unable to get SMS provider'] as const
const NO_CHANNEL =
  "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider."
const NOBODY = '73bf9ee0-9e8c-453b-b484-09cb93e2f341'
const EXPIRED = [403, 'otp_expired', 'Token has expired or is invalid'] as const
const invalid = (message: string) => [400, 'validation_failed', message] as const
const OK = [200, undefined, undefined] as const

/** @see supabase/auth internal/api: otp_test.go, resend_test.go, verify_test.go, phone_test.go, mfa_test.go,
 *  user_test.go, admin_test.go, anonymous_test.go, identity_test.go, mail_test.go, recover_test.go */
// biome-ignore format: a table
test.each([
  ['POST /recover', '', { email: '' }, invalid('Password recovery requires an email')],
  ['POST /recover', '', { email: `${'test'.repeat(62)}@example.com` }, invalid('An email address is too long')],
  ['POST /recover', '', { email: 'no@address@example.com' }, invalid('Unable to validate email address: invalid format')],
  ['POST /recover', '', { email: 'KNOWN@EXAMPLE.COM', code_challenge: CHALLENGE }, invalid(PKCE)],
  ['POST /recover', '', { email: 'known@example.com', code_challenge: 'short', code_challenge_method: 's256' }, invalid('code challenge has to be between 43 and 128 characters')],
  ['POST /recover', '', { email: 'known@example.com', code_challenge: `${CHALLENGE} `, code_challenge_method: 's256' }, invalid('code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes')],

  ['POST /otp', '', { email: 'known@example.com', code_challenge_method: 's256' }, invalid(PKCE)],
  ['POST /otp', '', { email: 'known@example.com', code_challenge: CHALLENGE }, invalid(PKCE)],
  ['POST /otp', '', { email: 'known@example.com', phone: '15550001' }, invalid('Only an email address or phone number should be provided')],
  ['POST /otp', '', { email: 'known@example.com', channel: 'sms' }, invalid('Channel should only be specified with Phone OTP')],
  ['POST /otp', '', {}, invalid('One of email or phone must be set')],
  ['POST /otp', '', { phone: '15550009', channel: 'fax' }, invalid(NO_CHANNEL)],
  ['POST /otp', '', { phone: '15550009', channel: 'whatsapp' }, invalid(NO_CHANNEL)],
  ['POST /otp', '', { phone: '0555' }, invalid('Invalid phone number format (E.164 required)')],
  ['POST /otp', '', { email: 'new@example.com', create_user: false }, [422, 'otp_disabled', 'Signups not allowed for otp']],
  ['POST /otp', '', { phone: '15550009', create_user: false }, [422, 'otp_disabled', 'Signups not allowed for otp']],
  ['POST /otp', '', { phone: '15550009', code_challenge: CHALLENGE, code_challenge_method: 's256' }, NO_SENDER],

  ['POST /signup', '', { phone: '15550009', password: 'correct horse' }, NO_SENDER],
  ['POST /otp', '', { phone: '15550001' }, NO_SENDER],
  ['PUT /user', 'user', { phone: '15550008' }, NO_SENDER],
  ['GET /reauthenticate', 'phone', null, NO_SENDER],

  ['POST /signup', '', { email: 'a@example.com', phone: '15550009', password: 'correct horse' }, invalid('Only an email address or phone number should be provided on signup.')],
  ['POST /signup', '', { phone: '15550009', password: 'correct horse', code_challenge: CHALLENGE, code_challenge_method: 's256' }, invalid('PKCE not supported for phone signups')],
  ['POST /signup', '', { phone: '15550009', password: 'correct horse', channel: 'fax' }, invalid(NO_CHANNEL)],
  ['POST /signup', '', { email: 'a@example.com', password: 'correct horse', code_challenge_method: 's256' }, invalid(PKCE)],

  ['POST /token?grant_type=password', '', { password: 'correct horse' }, invalid('missing email or phone')],
  ['POST /token?grant_type=password', '', { email: 'known@example.com', phone: '15550001', password: 'x' }, invalid('Only an email address or phone number should be provided on login.')],
  ['POST /token?grant_type=password', '', { email: 'unproved@example.com', password: 'correct horse' }, [400, 'email_not_confirmed', 'Email not confirmed']],
  ['POST /token?grant_type=password', '', { email: 'unproved@example.com', password: 'wrong' }, [400, 'invalid_credentials', 'Invalid login credentials']],
  ['POST /token?grant_type=refresh_token', '', {}, invalid('Refresh token is not valid')],
  ['POST /token?grant_type=refresh_token', '', { refresh_token: 'abcdefghijkl' }, [400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found']],
  ['POST /token?grant_type=pkce', '', { auth_code: NOBODY }, invalid('invalid request: both auth code and code verifier should be non-empty')],
  ['POST /token?grant_type=pkce', '', { auth_code: NOBODY, code_verifier: CHALLENGE }, [404, 'flow_state_not_found', 'invalid flow state, no valid flow state found']],
  ['POST /token?grant_type=implicit', '', {}, [400, 'invalid_credentials', 'unsupported_grant_type']],

  ['POST /resend', '', { type: 'invalid', email: 'known@example.com' }, invalid('Missing one of these types: signup, email_change, sms, phone_change')],
  ['POST /resend', '', { type: 'sms', email: 'known@example.com' }, invalid('Type provided requires a phone number')],
  ['POST /resend', '', { type: 'signup', phone: '15550001' }, invalid('Type provided requires an email address')],
  ['POST /resend', '', { type: 'email_change', phone: '15550001', email: 'known@example.com' }, invalid('Only an email address or phone number should be provided.')],
  ['POST /resend', '', { type: 'email_change' }, invalid('Missing email address or phone number')],
  ['POST /resend', '', { type: 'signup', email: 'known@example.com', code_challenge: CHALLENGE }, invalid(PKCE)],
  ['POST /resend', '', { type: 'signup', email: 'known@example.com', code_challenge_method: 's256' }, invalid(PKCE)],
  ['POST /resend', '', { type: 'email_change', email: 'known@example.com', code_challenge: CHALLENGE }, invalid(PKCE)],
  // No answer reveals who has an account, or what's pending.
  ['POST /resend', '', { type: 'signup', email: 'stranger@example.com' }, OK],
  ['POST /resend', '', { type: 'signup', email: 'known@example.com' }, OK],
  ['POST /resend', '', { type: 'email_change', phone: '15550001' }, OK],
  ['POST /resend', '', { type: 'phone_change', email: 'known@example.com' }, OK],
  ['POST /recover', '', { email: 'stranger@example.com' }, OK],

  ['POST /verify', '', { type: 'signup', token: '123456' }, invalid('Only an email address or phone number should be provided on verify')],
  ['POST /verify', '', { type: 'signup', token: '123456', email: 'known@example.com', phone: '15550001' }, invalid('Only an email address or phone number should be provided on verify')],
  ['POST /verify', '', { type: 'signup', token: '123456', token_hash: 'x' }, invalid('Verify requires either a token or a token hash')],
  ['POST /verify', '', { type: 'signup' }, invalid('Verify requires either a token or a token hash')],
  ['POST /verify', '', { token: '123456', email: 'known@example.com' }, invalid('Verify requires a verification type')],
  ['POST /verify', '', { type: 'signup', token_hash: 'x', email: 'known@example.com' }, invalid('Only the token_hash and type should be provided')],
  ['POST /verify', '', { type: 'sms', token: '123456', phone: '15550001' }, EXPIRED],
  ['POST /verify', '', { type: 'phone_change', token: '123456', phone: '15550001' }, EXPIRED],
  ['POST /verify', '', { type: 'signup', token: '123456', email: 'known@example.com' }, EXPIRED],
  ['POST /verify', '', { type: 'email_change', token: '123456', email: 'known@example.com' }, EXPIRED],
  ['POST /verify', '', { type: 'recovery', token: '123456', email: 'stranger@example.com' }, EXPIRED],
  ['POST /verify', '', { type: 'sms', token_hash: 'x' }, invalid('Invalid email verification type')],
  ['GET /verify?type=signup', '', null, invalid('Verify requires a token or a token hash')],
  ['GET /verify?token=x', '', null, invalid('Verify requires a verification type')],

  ['PUT /user', 'user', { password: '' }, [422, 'weak_password', 'Password should be at least 6 characters.']],
  ['PUT /user', 'user', { email: 'x' }, invalid('Unable to validate email address: invalid format')],
  ['PUT /user', 'user', { phone: '15550001' }, [422, 'phone_exists', 'A user with this phone number has already been registered']],
  ['PUT /user', 'phone', { email: 'known@example.com' }, [422, 'email_exists', 'A user with this email address has already been registered']],
  ['PUT /user', 'user', { email: 'free@example.com', code_challenge: CHALLENGE }, invalid(PKCE)],
  ['PUT /user', 'anonymous', { password: 'correct horse' }, [422, 'validation_failed', 'Updating password of an anonymous user without an email or phone is not allowed']],

  ['POST /factors', 'anonymous', { factor_type: 'totp' }, [403, 'no_authorization', 'Anonymous user not allowed to perform these actions']],
  ['POST /factors', 'user', { factor_type: 'smoke' }, invalid('factor_type needs to be totp, phone, or webauthn')],
  ['POST /factors', 'user', { factor_type: 'phone', phone: '+1' }, invalid('Invalid phone number format (E.164 required)')],
  ['POST /factors', 'user', { factor_type: 'phone' }, invalid('Phone number required to enroll Phone factor')],
  ['POST /factors', 'user', { factor_type: 'webauthn' }, [422, 'mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn']],
  [`POST /factors/${NOBODY}/challenge`, 'user', {}, [404, 'mfa_factor_not_found', 'Factor not found']],
  [`POST /factors/x/challenge`, 'user', {}, [404, 'validation_failed', 'factor_id must be an UUID']],
  [`POST /factors/${NOBODY}/verify`, 'user', {}, [404, 'mfa_factor_not_found', 'Factor not found']],
  [`DELETE /factors/${NOBODY}`, 'user', null, [404, 'mfa_factor_not_found', 'Factor not found']],

  [`DELETE /user/identities/${NOBODY}`, 'user', null, [404, 'manual_linking_disabled', 'Manual linking is disabled']],
  ['GET /user/identities/authorize?provider=github', 'user', null, [404, 'manual_linking_disabled', 'Manual linking is disabled']],
  ['POST /logout?scope=all', 'user', null, invalid('Unsupported logout scope "all"')],

  ['POST /invite', '', { email: 'a@example.com' }, [401, 'no_authorization', 'This endpoint requires a valid Bearer token']],
  ['POST /invite', 'user', { email: 'a@example.com' }, [403, 'not_admin', 'User not allowed']],
  ['POST /invite', 'admin', { email: 'known@example.com' }, [422, 'email_exists', 'A user with this email address has already been registered']],
  ['POST /admin/users', 'admin', { password: 'x' }, invalid('Cannot create a user without either an email or phone')],
  ['POST /admin/users', 'admin', { email: 'b@example.com', password: 'x', password_hash: '$2y$10$x' }, invalid('Only a password or a password hash should be provided')],
  ['POST /admin/users', 'admin', { email: 'b@example.com', ban_duration: 'never' }, invalid('invalid format for ban duration: time: invalid duration "never"')],
  ['POST /admin/users', 'admin', { email: 'b@example.com', id: '00000000-0000-0000-0000-000000000000' }, invalid('ID cannot be a nil uuid')],
  ['POST /admin/users', 'admin', { email: 'b@example.com', id: 'bad' }, invalid('ID must conform to the uuid v4 format')],
  ['POST /admin/users', 'admin', { phone: '15550001' }, [422, 'phone_exists', 'Phone number already registered by another user']],
  [`GET /admin/users/${NOBODY}`, 'admin', null, [404, 'user_not_found', 'User not found']],
  ['GET /admin/users/x', 'admin', null, [404, 'validation_failed', 'user_id must be an UUID']],
  ['GET /admin/users?page=-1', 'admin', null, invalid('Bad Pagination Parameters: strconv.ParseUint: parsing "-1": invalid syntax')],
  ['GET /admin/users?sort=email', 'admin', null, invalid("Bad Sort Parameters: bad field for sort 'email'")],
  ['GET /admin/users?sort=created_at%20sideways', 'admin', null, invalid("Bad Sort Parameters: bad direction for sort 'sideways', only 'asc' and 'desc' allowed")],
  ['GET /admin/audit?query=nowhere:x', 'admin', null, invalid('Invalid query scope: nowhere:x')],
  ['POST /admin/generate_link', 'admin', { type: 'invite', email: 'known@example.com' }, [422, 'email_exists', 'A user with this email address has already been registered']],
  ['POST /admin/generate_link', 'admin', { type: 'recovery', email: 'stranger@example.com' }, [404, 'user_not_found', 'User with this email not found']],
  ['POST /admin/generate_link', 'admin', { type: 'magic', email: 'known@example.com' }, invalid('Invalid email action link type requested: magic')],
  ['POST /admin/generate_link', 'admin', { type: 'email_change_new', email: 'known@example.com', new_email: 'change@example.com' }, [422, 'email_exists', 'A user with this email address has already been registered']],

  ['GET /authorize?provider=github', '', null, invalid('Unsupported provider: provider is not enabled')],
  ['GET /authorize?provider=nowhere', '', null, invalid('Unsupported provider: Provider nowhere could not be found')],
  ['GET /authorize', '', null, invalid('Unsupported provider: Provider  could not be found')],
] as const)('%s as %s with %j', async (line, as, body, [status, error_code, msg]) => {
  const [method = '', path = ''] = line.split(' ')
  const response = await fetch(`${auth.url}/auth/v1${path}`, {
    method,
    redirect: 'manual',
    headers: as ? { authorization: `Bearer ${tokens[as]}` } : {},
    body: body ? JSON.stringify(body) : null,
  })
  const answer = (await response.json()) as { error_code?: string; msg?: string }
  expect([response.status, answer.error_code, answer.msg]).toEqual([status, error_code, msg])
})
