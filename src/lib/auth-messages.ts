import { isAuthError } from '@supabase/supabase-js'
import { describeFailure } from './failure.ts'

/** By the auth service's error code. Where a code could tell whether an address has an account, the text does not. */
const MESSAGES: Record<string, string> = {
  invalid_credentials: 'Email and password do not match. Check both, or ask for a sign-in link instead.',
  email_not_confirmed: 'This address is not confirmed yet. Open the link in the mail we sent, or ask for a new one.',
  user_already_exists: 'There is an account for this address already. Sign in, or recover the password.',
  email_exists: 'There is an account for this address already. Sign in, or recover the password.',
  email_address_invalid: 'This address cannot receive mail. Check it for typing errors.',
  email_address_not_authorized: 'This server may not send mail to that address.',
  weak_password: 'This password is too easy to guess. Make it longer, or mix words that do not belong together.',
  same_password: 'This is your present password. Choose another one.',
  signup_disabled: 'Sign-up is closed here. Ask for an invitation.',
  otp_expired: 'This link or code has expired or was used before. Ask for a new one.',
  flow_state_expired: 'This link has expired. Ask for a new one.',
  flow_state_not_found: 'This link was used before or has expired. Ask for a new one.',
  bad_code_verifier: 'Open the link in the browser where you asked for it, or ask for a new one here.',
  pkce_code_verifier_not_found: 'Open the link in the browser where you asked for it, or ask for a new one here.',
  over_email_send_rate_limit: 'We sent a mail a moment ago. Wait a minute before asking for another.',
  over_request_rate_limit: 'Too many attempts. Wait a minute, then try again.',
  user_banned: 'This account is suspended. Ask whoever runs this server.',
  mfa_verification_failed: 'This code does not match. Take the one that your authenticator shows now.',
  mfa_challenge_expired: 'That took too long. Enter the code that your authenticator shows now.',
  mfa_factor_name_conflict: 'You have an authenticator of this name already. Give this one another name.',
  insufficient_aal: 'Confirm with your second factor first.',
  session_expired: 'Your session has ended. Sign in again.',
  session_not_found: 'Your session has ended. Sign in again.',
  webauthn_verification_failed: 'This passkey is not known here, or belongs to another site.',
  webauthn_credential_exists: 'This passkey is registered already.',
  webauthn_challenge_expired: 'That took too long. Try again.',
  webauthn_challenge_not_found: 'That took too long. Try again.',
  too_many_passkeys: 'You have as many passkeys as an account can have. Remove one first.',
  passkey_disabled: 'Passkeys are not in use here.',
  ERROR_CEREMONY_ABORTED: 'You stopped it, or it took too long. Try again.',
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device has a passkey for your account already.',
  identity_already_exists: 'That account is linked to somebody already.',
  single_identity_not_deletable: 'This is your only way in. Link another one, or set a password first.',
  manual_linking_disabled: 'Accounts cannot be linked here.',
  provider_disabled: 'This way of signing in is not in use here.',
  reauthentication_needed: 'It is a while since you signed in. Sign out and in again, then change it.',
}

/** What to tell a person about a refusal of the auth service, or about not reaching it at all. */
export function explainAuth(error: unknown): string {
  if (isAuthError(error)) {
    const message = error.code ? MESSAGES[error.code] : undefined
    if (message) return message
  }
  const failure = describeFailure(error)
  return failure.title === 'Something went wrong' ? failure.advice : `${failure.title}. ${failure.advice}`
}

/** For links that came back with an error in their address instead of a code. */
export const explainAuthCode = (code: string, description: string | undefined): string =>
  MESSAGES[code] ?? description ?? 'This link does not work. Ask for a new one.'
