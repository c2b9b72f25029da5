/** What users do with their own account: reauthentication, changes, identities. */
export const userErrors = {
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
  logoutClientScope: [
    403,
    'no_authorization',
    'An OAuth client can end only its own session: sign out with the scope "local"',
  ],
  logoutScope: [400, 'validation_failed', 'Unsupported logout scope "%s"'],

  linkingDisabled: [404, 'manual_linking_disabled', 'Manual linking is disabled'],
  identityIdInvalid: [404, 'validation_failed', 'identity_id must be an UUID'],
  identityLast: [422, 'single_identity_not_deletable', 'User must have at least 1 identity after unlinking'],
  identityUnknown: [422, 'identity_not_found', "Identity doesn't exist"],
  identityConflict: [422, 'email_conflict_identity_not_deletable', 'Unable to unlink identity due to email conflict'],
} as const
