import { isAuthError } from '@supabase/supabase-js'
import { msg, t } from '../lib/i18n/i18n.ts'
import { failureText } from './failure.ts'

/** Messages by the auth service's error code. None reveals whether an address has an account. */
const MESSAGES: Record<string, string> = {
  invalid_credentials: msg('Email and password do not match. Check both, or ask for a sign-in link instead.'),
  email_not_confirmed: msg(
    'This address is not confirmed yet. Open the link in the mail we sent, or ask for a new one.',
  ),
  user_already_exists: msg('There is an account for this address already. Sign in, or recover the password.'),
  email_exists: msg('There is an account for this address already. Sign in, or recover the password.'),
  email_address_invalid: msg('This address cannot receive mail. Check it for typing errors.'),
  email_address_not_authorized: msg('This server may not send mail to that address.'),
  weak_password: msg('This password is too easy to guess. Make it longer, or mix words that do not belong together.'),
  same_password: msg('This is your present password. Choose another one.'),
  signup_disabled: msg('Sign-up is closed here. Ask for an invitation.'),
  otp_expired: msg('This link or code has expired or was used before. Ask for a new one.'),
  flow_state_expired: msg('This link has expired. Ask for a new one.'),
  flow_state_not_found: msg('This link was used before or has expired. Ask for a new one.'),
  bad_code_verifier: msg('Open the link in the browser where you asked for it, or ask for a new one here.'),
  pkce_code_verifier_not_found: msg('Open the link in the browser where you asked for it, or ask for a new one here.'),
  over_email_send_rate_limit: msg('We sent a mail a moment ago. Wait a minute before asking for another.'),
  over_request_rate_limit: msg('Too many attempts. Wait a minute, then try again.'),
  user_banned: msg('This account is suspended. Ask your administrator.'),
  mfa_verification_failed: msg('This code does not match. Take the one that your authenticator shows now.'),
  mfa_challenge_expired: msg('That took too long. Enter the code that your authenticator shows now.'),
  mfa_factor_name_conflict: msg('You have an authenticator of this name already. Give this one another name.'),
  insufficient_aal: msg('Confirm with your second factor first.'),
  session_expired: msg('Your session has ended. Sign in again.'),
  session_not_found: msg('Your session has ended. Sign in again.'),
  webauthn_verification_failed: msg('This passkey is not known here, or belongs to another site.'),
  webauthn_credential_exists: msg('This passkey is registered already.'),
  webauthn_challenge_expired: msg('That took too long. Try again.'),
  webauthn_challenge_not_found: msg('That took too long. Try again.'),
  too_many_passkeys: msg('You have as many passkeys as an account can have. Remove one first.'),
  passkey_disabled: msg('Passkeys are not in use here.'),
  ERROR_CEREMONY_ABORTED: msg('You stopped it, or it took too long. Try again.'),
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: msg('This device has a passkey for your account already.'),
  identity_already_exists: msg('That account is linked to somebody already.'),
  single_identity_not_deletable: msg('This is your only way in. Link another one, or set a password first.'),
  manual_linking_disabled: msg('Accounts cannot be linked here.'),
  access_denied: msg('The sign-in was refused or cancelled there. Try again, or choose another way.'),
  saml_unsolicited: msg('Choose “Sign in with your company” on the sign-in page. It has to begin there.'),
  provider_disabled: msg('This way of signing in is not in use here.'),
  reauthentication_needed: msg('It is a while since you signed in. Sign out and in again, then change it.'),
}

/** Describes errors of the auth service, the passkey dialog or the network. */
export function describeAuthError(error: unknown): string {
  const message = MESSAGES[codeOf(error) ?? '']
  return message ? t(message) : failureText(error)
}

function codeOf(error: unknown): string | undefined {
  if (isAuthError(error)) return error.code
  if (!(error instanceof Error && '__isWebAuthnError' in error && 'code' in error)) return
  // Browsers throw the same error for a closed dialog and a timeout.
  return error.name === 'NotAllowedError' ? 'ERROR_CEREMONY_ABORTED' : String(error.code)
}

/** Describes an error returned in a link's URL. */
export const describeAuthCode = (code: string, description: string | undefined): string =>
  t(MESSAGES[code] ?? description ?? msg('This link does not work. Ask for a new one.'))
