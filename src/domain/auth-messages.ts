import { isAuthError } from '@supabase/supabase-js'
import { msg, t } from '../lib/i18n/i18n.ts'
import { failureText } from './failure.ts'

/** Messages by the auth service's error code. None reveals whether an address has an account. */
const MESSAGES: Record<string, string> = {
  invalid_credentials: msg('Email and password do not match. Check both, or ask for a sign-in link instead.'),
  email_not_confirmed: msg('This email isn’t confirmed yet. Open the link we sent you, or request a new one.'),
  user_already_exists: msg('This email already has an account. Sign in, or reset the password.'),
  email_exists: msg('This email already has an account. Sign in, or reset the password.'),
  email_address_invalid: msg('This address can’t receive email. Check it for typos.'),
  email_address_not_authorized: msg('This server isn’t allowed to send email to that address.'),
  weak_password: msg('This password is too easy to guess. Make it longer, or combine unrelated words.'),
  same_password: msg('This is your current password. Choose another one.'),
  signup_disabled: msg('Sign-up is closed here. Ask for an invitation.'),
  otp_expired: msg('This link or code has expired or was already used. Request a new one.'),
  flow_state_expired: msg('This link has expired. Request a new one.'),
  flow_state_not_found: msg('This link was already used or has expired. Request a new one.'),
  bad_code_verifier: msg('Open the link in the browser where you requested it, or request a new one here.'),
  pkce_code_verifier_not_found: msg('Open the link in the browser where you requested it, or request a new one here.'),
  over_email_send_rate_limit: msg('We just sent an email. Wait a minute before requesting another.'),
  over_request_rate_limit: msg('Too many attempts. Wait a minute, then try again.'),
  user_banned: msg('This account is suspended. Ask your administrator.'),
  mfa_verification_failed: msg('This code doesn’t match. Enter the one your authenticator shows now.'),
  mfa_challenge_expired: msg('That took too long. Enter the code your authenticator shows now.'),
  mfa_factor_name_conflict: msg('You already have an authenticator with this name. Give this one another name.'),
  insufficient_aal: msg('Confirm with your second factor first.'),
  session_expired: msg('Your session has ended. Sign in again.'),
  session_not_found: msg('Your session has ended. Sign in again.'),
  webauthn_verification_failed: msg('This passkey isn’t known here, or belongs to another site.'),
  webauthn_credential_exists: msg('This passkey is already registered.'),
  webauthn_challenge_expired: msg('That took too long. Try again.'),
  webauthn_challenge_not_found: msg('That took too long. Try again.'),
  too_many_passkeys: msg('You’ve reached the limit of passkeys. Remove one first.'),
  passkey_disabled: msg('Passkeys aren’t enabled here.'),
  ERROR_CEREMONY_ABORTED: msg('You stopped it, or it took too long. Try again.'),
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: msg('This device already has a passkey for your account.'),
  identity_already_exists: msg('That account is already linked to someone.'),
  single_identity_not_deletable: msg(
    'This is your only way to sign in. Link another account, or set a password first.',
  ),
  manual_linking_disabled: msg('Accounts cannot be linked here.'),
  access_denied: msg('The sign-in was refused or cancelled there. Try again, or choose another way.'),
  saml_unsolicited: msg('Choose “Sign in with your company” on the sign-in page. Sign-in has to start there.'),
  provider_disabled: msg('This way of signing in isn’t enabled here.'),
  reauthentication_needed: msg('You signed in a while ago. Sign out and in again, then change it.'),
}

const messageOf = (code: string) => (Object.hasOwn(MESSAGES, code) ? MESSAGES[code] : undefined)

/** Describes errors of the auth service, the passkey dialog or the network. */
export function describeAuthError(error: unknown): string {
  const message = messageOf(codeOf(error) ?? '')
  return message ? t(message) : failureText(error)
}

function codeOf(error: unknown): string | undefined {
  if (isAuthError(error)) return error.code
  if (!(error instanceof Error && '__isWebAuthnError' in error && 'code' in error)) return
  // Browsers throw the same error for a closed dialog and a timeout.
  return error.name === 'NotAllowedError' ? 'ERROR_CEREMONY_ABORTED' : String(error.code)
}

/** Describes an error returned in a link's URL. Its description is ignored: anyone can write one into a link. */
export function describeAuthCode(code: string): string {
  const message = messageOf(code)
  if (message !== undefined) return t(message)
  const unknown = t('This link doesn’t work. Request a new one.')
  return /^[a-z_]{1,40}$/.test(code) ? `${unknown} (${code})` : unknown
}
