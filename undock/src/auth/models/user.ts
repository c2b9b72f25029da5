import type { Json } from './params.ts'

/** A row of auth.users with its identities and factors. Null text reads as empty. */
export type User = UserColumns & { readonly identities: readonly Identity[]; readonly factors: readonly Factor[] }

export type UserColumns = {
  id: string
  aud: string
  role: string
  email: string
  encrypted_password: string
  email_confirmed_at: Date | null
  invited_at: Date | null
  confirmation_token: string
  confirmation_sent_at: Date | null
  recovery_token: string
  recovery_sent_at: Date | null
  email_change_token_new: string
  email_change_token_current: string
  email_change: string
  email_change_sent_at: Date | null
  email_change_confirm_status: number
  last_sign_in_at: Date | null
  raw_app_meta_data: Json
  raw_user_meta_data: Json
  created_at: Date
  updated_at: Date
  phone: string
  phone_confirmed_at: Date | null
  phone_change: string
  phone_change_token: string
  phone_change_sent_at: Date | null
  confirmed_at: Date | null
  banned_until: Date | null
  reauthentication_token: string
  reauthentication_sent_at: Date | null
  is_sso_user: boolean
  deleted_at: Date | null
  is_anonymous: boolean
}

/** A row of auth.identities; its times are text, as they come inside JSON. */
export type Identity = {
  readonly id: string
  readonly provider_id: string
  readonly user_id: string
  readonly identity_data: Json
  readonly provider: string
  readonly last_sign_in_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly email: string | null
}

export type FactorType = 'totp' | 'phone' | 'webauthn' | 'recovery_code'

/** A row of auth.mfa_factors; times as in `Identity`. */
export type Factor = {
  readonly id: string
  readonly user_id: string
  readonly friendly_name: string | null
  readonly factor_type: FactorType
  readonly status: 'unverified' | 'verified'
  readonly secret: string | null
  readonly phone: string | null
  readonly web_authn_credential: Json | null
  readonly created_at: string
  readonly updated_at: string
  readonly last_challenged_at: string | null
}

export const isBanned = (user: User, now: Date): boolean => user.banned_until !== null && now < user.banned_until

export const hasVerifiedFactor = (user: User): boolean => user.factors.some(({ status }) => status === 'verified')

/** Returns what clients may see of a user, with upstream's order and omissions.
 *  @see supabase/auth internal/models/user.go */
export function presentUser(user: User) {
  return {
    id: user.id,
    aud: user.aud,
    role: user.role,
    email: user.email,
    ...present('email_confirmed_at', user.email_confirmed_at),
    ...present('invited_at', user.invited_at),
    phone: user.phone,
    ...present('phone_confirmed_at', user.phone_confirmed_at),
    ...present('confirmation_sent_at', user.confirmation_sent_at),
    ...present('confirmed_at', user.confirmed_at),
    ...present('recovery_sent_at', user.recovery_sent_at),
    ...present('new_email', user.email_change),
    ...present('email_change_sent_at', user.email_change_sent_at),
    ...present('new_phone', user.phone_change),
    ...present('phone_change_sent_at', user.phone_change_sent_at),
    ...present('reauthentication_sent_at', user.reauthentication_sent_at),
    ...present('last_sign_in_at', user.last_sign_in_at),
    app_metadata: user.raw_app_meta_data,
    user_metadata: user.raw_user_meta_data,
    ...(user.factors.length > 0 ? { factors: user.factors.map(presentFactor) } : {}),
    identities: user.identities.map(presentIdentity) as ReturnType<typeof presentIdentity>[] | null,
    created_at: user.created_at,
    updated_at: user.updated_at,
    ...present('banned_until', user.banned_until),
    ...present('deleted_at', user.deleted_at),
    is_anonymous: user.is_anonymous,
  }
}

export type PresentedUser = ReturnType<typeof presentUser>

function presentIdentity(identity: Identity) {
  return {
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    identity_data: identity.identity_data,
    provider: identity.provider,
    ...present('last_sign_in_at', identity.last_sign_in_at && time(identity.last_sign_in_at)),
    created_at: time(identity.created_at),
    updated_at: time(identity.updated_at),
    ...present('email', identity.email),
  }
}

export function presentFactor(factor: Factor) {
  return {
    id: factor.id,
    created_at: time(factor.created_at),
    updated_at: time(factor.updated_at),
    status: factor.status,
    ...present('friendly_name', factor.friendly_name),
    factor_type: factor.factor_type,
    phone: factor.phone ?? '',
    last_challenged_at: factor.last_challenged_at && time(factor.last_challenged_at),
  }
}

/** Postgres writes `+00:00` inside JSON, clients expect `Z`. */
const time = (text: string): string => new Date(text).toISOString()

/** Go's `omitempty`. */
function present<K extends string, V>(name: K, value: V | null | ''): { [key in K]?: V } {
  return value === null || value === '' ? {} : ({ [name]: value } as { [key in K]: V })
}

type Given = Pick<User, 'id' | 'aud' | 'created_at' | 'updated_at'> & Partial<User>

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
