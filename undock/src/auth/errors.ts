import { ServiceError, type ServiceErrorOptions } from '../kernel/service-error.ts'
import { customProviderRefusals } from './custom-providers/refusals.ts'
import { hookRefusals } from './hook-refusals.ts'
import { oauthServerRefusals } from './oauth-server/refusals.ts'
import { passkeyRefusals } from './passkeys/refusals.ts'
import { smsRefusals } from './sms/refusals.ts'
import { ssoRefusals } from './sso/refusals.ts'
import { web3Refusals } from './web3/refusals.ts'

/** Every refusal of Auth: status, code and text as clients match on them; `%s` takes an argument.
 *  One code serves many texts upstream, so the keys here are ours.
 *  @see supabase/auth internal/api/apierrors/errorcode.go and the handlers of internal/api */
const CATALOGUE = {
  ...customProviderRefusals,
  ...hookRefusals,
  ...passkeyRefusals,
  ...oauthServerRefusals,
  ...smsRefusals,
  ...ssoRefusals,
  ...web3Refusals,

  routeUnknown: [404, 'not_found', '404 page not found'],
  methodNotAllowed: [405, 'method_not_allowed', '405 method not allowed'],
  bodyTooLarge: [413, 'request_entity_too_large', 'Request body too large (max %s bytes)'],
  bodyInvalid: [400, 'bad_json', 'Could not parse request body as JSON: %s'],
  queryInvalid: [400, 'validation_failed', 'a query parameter may not contain the NUL character'],
  unexpected: [500, 'unexpected_failure', 'Unexpected failure, please check server logs for more information'],

  tokenMissing: [401, 'no_authorization', 'This endpoint requires a valid Bearer token'],
  tokenInvalid: [403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature, %s'],
  subjectMissing: [403, 'bad_jwt', 'invalid claim: missing sub claim'],
  subjectInvalid: [400, 'bad_jwt', 'invalid claim: sub claim must be a UUID'],
  subjectUnknown: [403, 'user_not_found', 'User from sub claim in JWT does not exist'],
  sessionClaimInvalid: [403, 'bad_jwt', 'invalid claim: session_id claim must be a UUID'],
  sessionUnknown: [403, 'session_not_found', 'Session from session_id claim in JWT does not exist'],
  sessionOver: [403, 'session_expired', 'Session is no longer valid'],
  bearerBanned: [403, 'user_banned', 'User is banned'],
  anonymousNotAllowed: [403, 'no_authorization', 'Anonymous user not allowed to perform these actions'],
  notAdmin: [403, 'not_admin', 'User not allowed'],
  audienceMismatch: [400, 'validation_failed', "Token audience doesn't match request audience"],
  audienceUnexpected: [403, 'unexpected_audience', "Token audience doesn't match request audience"],

  requestRate: [429, 'over_request_rate_limit', 'Request rate limit reached'],
  mailRate: [429, 'over_email_send_rate_limit', 'email rate limit exceeded'],
  mailTooSoon: [
    429,
    'over_email_send_rate_limit',
    'For security purposes, you can only request this after %s seconds.',
  ],
  mailFailed: [500, 'unexpected_failure', 'Error sending %s email'],
  captchaMissing: [400, 'captcha_failed', 'captcha protection: request disallowed (no captcha_token found)'],
  captchaRejected: [400, 'captcha_failed', 'captcha protection: request disallowed (%s)'],
  captchaUnreachable: [500, 'unexpected_failure', 'captcha verification process failed'],

  emailRequired: [400, 'validation_failed', 'An email address is required'],
  emailTooLong: [400, 'validation_failed', 'An email address is too long'],
  emailInvalid: [400, 'validation_failed', 'Unable to validate email address: invalid format'],
  phoneInvalid: [400, 'validation_failed', 'Invalid phone number format (E.164 required)'],
  passwordTooLong: [400, 'validation_failed', 'Password cannot be longer than %s characters'],
  passwordWeak: [422, 'weak_password', '%s'],
  pkceIncomplete: [400, 'validation_failed', 'PKCE flow requires code_challenge_method and code_challenge'],
  challengeLength: [400, 'validation_failed', 'code challenge has to be between 43 and 128 characters'],
  challengeCharacters: [
    400,
    'validation_failed',
    'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
  ],
  // Upstream lets this one fall through to a 500 (models.ParseCodeChallengeMethod).
  challengeMethod: [400, 'validation_failed', 'unsupported code_challenge method %s'],

  signupDisabled: [422, 'signup_disabled', 'Signups not allowed for this instance'],
  anonymousDisabled: [422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled'],
  signupPasswordMissing: [400, 'validation_failed', 'Signup requires a valid password'],
  signupOneAddress: [400, 'validation_failed', 'Only an email address or phone number should be provided on signup.'],
  signupPhonePkce: [400, 'validation_failed', 'PKCE not supported for phone signups'],
  emailSignupDisabled: [400, 'email_provider_disabled', 'Email signups are disabled'],
  phoneSignupDisabled: [400, 'phone_provider_disabled', 'Phone signups are disabled'],
  userExists: [422, 'user_already_exists', 'User already registered'],
  emailTaken: [422, 'email_exists', 'A user with this email address has already been registered'],
  phoneTaken: [422, 'phone_exists', 'A user with this phone number has already been registered'],
  phoneTakenAdmin: [422, 'phone_exists', 'Phone number already registered by another user'],
  userSaveFailed: [500, 'unexpected_failure', 'Database error saving new user'],
  userCreateFailed: [500, 'unexpected_failure', 'Database error creating new user'],
  anonymousCreateFailed: [500, 'unexpected_failure', 'Database error creating anonymous user'],
  userUpdateFailed: [500, 'unexpected_failure', 'Database error updating user'],
  userDeleteFailed: [500, 'unexpected_failure', 'Database error deleting user'],

  grantUnsupported: [400, 'invalid_credentials', 'unsupported_grant_type'],
  loginOneAddress: [400, 'validation_failed', 'Only an email address or phone number should be provided on login.'],
  loginAddressMissing: [400, 'validation_failed', 'missing email or phone'],
  emailLoginDisabled: [422, 'email_provider_disabled', 'Email logins are disabled'],
  emailLoginRefused: [400, 'email_provider_disabled', 'Email logins are disabled'],
  phoneLoginDisabled: [422, 'phone_provider_disabled', 'Phone logins are disabled'],
  phoneLoginRefused: [400, 'phone_provider_disabled', 'Phone logins are disabled'],
  phoneOtpDisabled: [400, 'phone_provider_disabled', 'Unsupported phone provider'],
  credentialsInvalid: [400, 'invalid_credentials', 'Invalid login credentials'],
  passwordAttemptRejected: [400, 'invalid_credentials', '%s'],
  userBanned: [400, 'user_banned', 'User is banned'],
  emailUnconfirmed: [400, 'email_not_confirmed', 'Email not confirmed'],
  phoneUnconfirmed: [400, 'phone_not_confirmed', 'Phone not confirmed'],

  refreshInvalid: [400, 'validation_failed', 'Refresh token is not valid'],
  refreshUnknown: [400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found'],
  refreshUsed: [400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used'],
  refreshBanned: [400, 'user_banned', 'Invalid Refresh Token: User Banned'],
  refreshNoSession: [400, 'session_not_found', 'Invalid Refresh Token: No Valid Session Found'],
  refreshInactive: [400, 'session_expired', 'Invalid Refresh Token: Session Expired (Inactivity)'],
  refreshExpired: [400, 'session_expired', 'Invalid Refresh Token: Session Expired'],

  pkceParamsMissing: [
    400,
    'validation_failed',
    'invalid request: both auth code and code verifier should be non-empty',
  ],
  flowStateUnknown: [404, 'flow_state_not_found', 'invalid flow state, no valid flow state found'],
  flowStateExpired: [422, 'flow_state_expired', 'invalid flow state, flow state has expired'],
  flowStateMissing: [
    400,
    'flow_state_not_found',
    'No associated flow state found. 422: No valid flow state found for user.',
  ],
  verifierMismatch: [400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier'],

  otpOneAddress: [400, 'validation_failed', 'Only an email address or phone number should be provided'],
  otpChannel: [400, 'validation_failed', 'Channel should only be specified with Phone OTP'],
  otpAddressMissing: [400, 'validation_failed', 'One of email or phone must be set'],
  otpNoSignup: [422, 'otp_disabled', 'Signups not allowed for otp'],
  magicLinkEmailMissing: [422, 'validation_failed', 'Password recovery requires an email'],
  recoveryEmailMissing: [400, 'validation_failed', 'Password recovery requires an email'],

  verifyTypeMissing: [400, 'validation_failed', 'Verify requires a verification type'],
  verifyTokenMissing: [400, 'validation_failed', 'Verify requires a token or a token hash'],
  verifyOneToken: [400, 'validation_failed', 'Verify requires either a token or a token hash'],
  verifyOneAddress: [400, 'validation_failed', 'Only an email address or phone number should be provided on verify'],
  verifyHashOnly: [400, 'validation_failed', 'Only the token_hash and type should be provided'],
  verifyEmailInvalid: [422, 'validation_failed', 'Invalid email format'],
  verifyTypeInvalid: [400, 'validation_failed', 'Invalid email verification type'],
  verifyTypeUnsupported: [400, 'validation_failed', 'Unsupported verification type'],
  linkInvalid: [403, 'otp_expired', 'Email link is invalid or has expired'],
  otpInvalid: [403, 'otp_expired', 'Token has expired or is invalid'],
  verifyBanned: [403, 'user_banned', 'User is banned'],

  resendType: [400, 'validation_failed', 'Missing one of these types: signup, email_change, sms, phone_change'],
  resendEmailMissing: [400, 'validation_failed', 'Type provided requires an email address'],
  resendPhoneMissing: [400, 'validation_failed', 'Type provided requires a phone number'],
  resendOneAddress: [400, 'validation_failed', 'Only an email address or phone number should be provided.'],
  resendAddressMissing: [400, 'validation_failed', 'Missing email address or phone number'],

  reauthAddressMissing: [
    400,
    'validation_failed',
    'Reauthentication requires the user to have an email or a phone number',
  ],
  reauthEmailUnconfirmed: [422, 'email_not_confirmed', 'Please verify your email first.'],
  reauthPhoneUnconfirmed: [422, 'phone_not_confirmed', 'Please verify your phone first.'],
  nonceInvalid: [422, 'reauthentication_not_valid', 'Nonce has expired or is invalid'],
  reauthNeeded: [400, 'reauthentication_needed', 'Password update requires reauthentication'],

  appMetadataForbidden: [403, 'not_admin', 'Updating app_metadata requires admin privileges'],
  updateNeedsAal2: [
    401,
    'insufficient_aal',
    'AAL2 session is required to update email or password when MFA is enabled.',
  ],
  anonymousPassword: [
    422,
    'validation_failed',
    'Updating password of an anonymous user without an email or phone is not allowed',
  ],
  ssoManaged: [422, 'user_sso_managed', 'Updating email, phone, password of a SSO account only possible via SSO'],
  samePassword: [422, 'same_password', 'New password should be different from the old password.'],
  currentPasswordMissing: [400, 'current_password_required', 'Current password required when setting new password.'],
  currentPasswordWrong: [400, 'current_password_invalid', 'Current password required when setting new password.'],
  logoutScope: [400, 'validation_failed', 'Unsupported logout scope "%s"'],

  linkingDisabled: [404, 'manual_linking_disabled', 'Manual linking is disabled'],
  identityIdInvalid: [404, 'validation_failed', 'identity_id must be an UUID'],
  identityLast: [422, 'single_identity_not_deletable', 'User must have at least 1 identity after unlinking'],
  identityUnknown: [422, 'identity_not_found', "Identity doesn't exist"],
  identityConflict: [422, 'email_conflict_identity_not_deletable', 'Unable to unlink identity due to email conflict'],

  factorIdInvalid: [404, 'validation_failed', 'factor_id must be an UUID'],
  factorUnknown: [404, 'mfa_factor_not_found', 'Factor not found'],
  factorType: [400, 'validation_failed', 'factor_type needs to be totp, phone, or webauthn'],
  factorNameTaken: [
    422,
    'mfa_factor_name_conflict',
    'A factor with the friendly name "%s" for this user already exists',
  ],
  factorsTooMany: [
    422,
    'too_many_enrolled_mfa_factors',
    'Maximum number of verified factors reached, unenroll to continue',
  ],
  enrollNeedsAal2: [403, 'insufficient_aal', 'AAL2 required to enroll a new factor'],
  unenrollNeedsAal2: [422, 'insufficient_aal', 'AAL2 required to unenroll verified factor'],
  totpEnrollDisabled: [422, 'mfa_totp_enroll_not_enabled', 'MFA enroll is disabled for TOTP'],
  totpVerifyDisabled: [422, 'mfa_totp_verify_not_enabled', 'MFA verification is disabled for TOTP'],
  phoneEnrollDisabled: [422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone'],
  phoneVerifyDisabled: [422, 'mfa_phone_verify_not_enabled', 'MFA verification is disabled for Phone'],
  webauthnEnrollDisabled: [422, 'mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn'],
  webauthnVerifyDisabled: [422, 'mfa_webauthn_verify_not_enabled', 'MFA verification is disabled for WebAuthn'],
  codeMissing: [400, 'validation_failed', 'Code needs to be non-empty'],
  challengeUnknown: [422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found'],
  challengeAddress: [422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.'],
  challengeExpired: [
    422,
    'mfa_challenge_expired',
    'MFA challenge %s has expired, verify against another challenge or create a new challenge.',
  ],
  totpInvalid: [422, 'mfa_verification_failed', 'Invalid TOTP code entered'],
  mfaAttemptRejected: [403, 'mfa_verification_rejected', '%s'],
  webauthnUnconfigured: [500, 'unexpected_failure', 'WebAuthn needs rp_id and rp_origins in [auth.webauthn]'],
  webauthnMissing: [400, 'validation_failed', 'WebAuthn config required'],
  webauthnType: [400, 'validation_failed', 'WebAuthn type must be create or request'],
  webauthnResponseMissing: [400, 'validation_failed', 'credential_response required'],
  webauthnInvalid: [422, 'mfa_verification_failed', 'Failed to validate WebAuthn MFA response'],
  siteUrlInvalid: [500, 'unexpected_failure', 'site url is improperly formatted'],
  sessionNeeded: [500, 'unexpected_failure', 'A valid session and a registered user are required to enroll a factor'],

  userIdInvalid: [404, 'validation_failed', 'user_id must be an UUID'],
  userUnknown: [404, 'user_not_found', 'User not found'],
  userByEmailUnknown: [404, 'user_not_found', 'User with this email not found'],
  pagination: [400, 'validation_failed', 'Bad Pagination Parameters: %s'],
  sorting: [400, 'validation_failed', 'Bad Sort Parameters: %s'],
  auditQuery: [400, 'validation_failed', 'Invalid query scope: %s'],
  banDuration: [400, 'validation_failed', 'invalid format for ban duration: %s'],
  createAddressMissing: [400, 'validation_failed', 'Cannot create a user without either an email or phone'],
  createOnePassword: [400, 'validation_failed', 'Only a password or a password hash should be provided'],
  createIdInvalid: [400, 'validation_failed', 'ID must conform to the uuid v4 format'],
  createIdNil: [400, 'validation_failed', 'ID cannot be a nil uuid'],
  // Upstream answers 500 "Error creating user" to a hash it cannot read; the fault is the caller's.
  bcryptTooLong: [400, 'validation_failed', 'bcrypt: password length exceeds 72 bytes'],
  passwordHashInvalid: [400, 'validation_failed', 'password_hash is not a bcrypt hash'],
  linkType: [400, 'validation_failed', 'Invalid email action link type requested: %s'],
  linkSecureChange: [400, 'validation_failed', 'Enable secure email change to generate link for current email'],

  providerUnsupported: [400, 'validation_failed', 'Unsupported provider: %s'],
  idTokenProviderDisabled: [400, 'provider_disabled', 'Provider (issuer "%s") is not enabled'],
  idTokenProviderUnknown: [400, 'validation_failed', 'Custom OIDC provider "%s" not allowed'],
  idTokenIssuerUnread: [400, 'validation_failed', 'Unable to detect issuer in ID token for %s provider'],
  idTokenIssuerForeign: [400, 'validation_failed', 'Detected ID token issuer is not %s ID token issuer'],
  idTokenIssuerMismatch: [400, 'validation_failed', 'Provided issuer does not match ID token issuer'],
  providerGone: [400, 'oauth_provider_not_supported', 'Unsupported provider: %s'],
  inviteUserUnknown: [404, 'user_not_found', 'User identified by token not found'],
  inviteUnknown: [404, 'invite_not_found', 'Invite not found'],
  inviteForeign: [400, 'validation_failed', 'Invited email does not match emails from external provider'],
  providerExchange: [500, 'unexpected_failure', 'Unable to exchange external code: %s'],
  requestTokenFailed: [500, 'unexpected_failure', 'Unable to retrieve request token'],
  accessTokenFailed: [500, 'unexpected_failure', 'Unable to retrieve access token'],
  providerProfile: [500, 'unexpected_failure', 'Error getting user profile from external provider'],
  providerEmailMissing: [500, 'unexpected_failure', 'Error getting user email from external provider'],
  providerEmailMailed: [
    422,
    'provider_email_needs_verification',
    'Unverified email with %s. A confirmation email has been sent to your %s email',
  ],
  providerEmailUnverified: [
    422,
    'provider_email_needs_verification',
    'Unverified email with %s. Verify the email with %s in order to sign in',
  ],
  identityLinked: [422, 'identity_already_exists', 'Identity is already linked'],
  identityTaken: [422, 'identity_already_exists', 'Identity is already linked to another user'],
  callbackState: [400, 'bad_oauth_callback', 'OAuth state parameter missing'],
  callbackCode: [400, 'bad_oauth_callback', 'OAuth callback with missing authorization code missing'],
  oauthStateInvalid: [400, 'bad_oauth_state', 'OAuth state parameter is invalid'],
  oauthStateUnknown: [400, 'bad_oauth_state', 'OAuth state not found or expired'],
  oauthStateExpired: [400, 'bad_oauth_state', 'OAuth state has expired'],
  oauthStateUsed: [400, 'flow_state_already_used', 'State has already been used'],
  scimDisabled: [404, 'feature_disabled', 'SCIM server is disabled'],
} as const satisfies Record<string, readonly [status: number, code: string, message: string]>

export type Refusal = keyof typeof CATALOGUE

/** A refusal of the catalogue; `values` fill the `%s` of its text in order. */
export function authError(refusal: Refusal, values: readonly (string | number)[] = [], options?: ServiceErrorOptions) {
  const [status, code, text] = CATALOGUE[refusal]
  const rest = [...values]
  return new ServiceError(
    code,
    status,
    text.replaceAll('%s', () => String(rest.shift() ?? '')),
    options,
  )
}

/** Marks errors that are rendered in OAuth's own shape. */
export const OAUTH_SHAPE = Symbol('oauth')

/** A refusal as OAuth 2 words it: `{ error, error_description }` with status 400. */
export function oauthError(error: string, description: string, options?: ServiceErrorOptions): ServiceError {
  return new ServiceError(error, 400, description, { ...options, details: OAUTH_SHAPE })
}

/** What a hook answered in place of consent: its own status and text, without a code of the catalogue. */
export function hookError(status: number, message: string): ServiceError {
  return new ServiceError(status === 500 ? 'unexpected_failure' : 'unknown', status, message)
}
