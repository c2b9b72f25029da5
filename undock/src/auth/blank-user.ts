import type { User } from './user.ts'

type Given = Pick<User, 'id' | 'aud' | 'created_at' | 'updated_at'> & Partial<User>

/** A user of whom nothing but the given is known yet. */
export function blankUser(given: Given): User {
  return {
    role: 'authenticated',
    email: '',
    phone: '',
    encrypted_password: '',
    email_confirmed_at: null,
    invited_at: null,
    confirmation_token: '',
    confirmation_sent_at: null,
    recovery_token: '',
    recovery_sent_at: null,
    email_change_token_new: '',
    email_change_token_current: '',
    email_change: '',
    email_change_sent_at: null,
    email_change_confirm_status: 0,
    last_sign_in_at: null,
    raw_app_meta_data: {},
    raw_user_meta_data: {},
    phone_confirmed_at: null,
    phone_change: '',
    phone_change_token: '',
    phone_change_sent_at: null,
    confirmed_at: null,
    banned_until: null,
    reauthentication_token: '',
    reauthentication_sent_at: null,
    is_sso_user: false,
    deleted_at: null,
    is_anonymous: false,
    identities: [],
    factors: [],
    ...given,
  }
}
