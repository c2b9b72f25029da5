/** Links and codes: asking for them, redeeming them, asking again. */
export const verificationErrors = {
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
} as const
