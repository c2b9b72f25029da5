/** Making and changing accounts. */
export const signUpErrors = {
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
} as const
