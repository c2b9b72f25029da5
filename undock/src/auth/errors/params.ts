/** Parameters that several routes take: addresses, passwords, PKCE. */
export const paramErrors = {
  textNul: [400, 'validation_failed', 'A text may not contain the NUL character'],
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
} as const
