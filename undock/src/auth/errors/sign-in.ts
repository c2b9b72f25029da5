/** POST /token: passwords, refresh tokens, PKCE codes. */
export const signInErrors = {
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
} as const
