/** @see supabase/auth internal/api/phone.go, mfa.go */
export const smsErrors = {
  smsRate: [429, 'over_sms_send_rate_limit', 'SMS rate limit exceeded'],
  smsTooSoon: [429, 'over_sms_send_rate_limit', 'For security purposes, you can only request this after %s seconds.'],
  smsProviderMissing: [500, 'unexpected_failure', 'Unable to get SMS provider'],
  smsSendFailed: [422, 'sms_send_failed', 'Error sending %s OTP to provider: %s'],
  channelInvalid: [
    400,
    'validation_failed',
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  ],
  factorPhoneMissing: [400, 'validation_failed', 'Phone number required to enroll Phone factor'],
  factorPhoneTaken: [
    422,
    'mfa_verified_factor_exists',
    'A verified phone factor already exists, unenroll the existing factor to continue',
  ],
  factorSmsFailed: [500, 'unexpected_failure', 'error sending message'],
  factorSmsProvider: [500, 'unexpected_failure', 'Failed to get SMS provider'],
  phoneCodeInvalid: [422, 'mfa_verification_failed', 'Invalid MFA Phone code entered'],
} as const
