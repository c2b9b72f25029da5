import { useMutation } from '@tanstack/react-query'
import { tellDone } from '../../components/toast.tsx'
import { refresh, service, write } from '../../lib/api.ts'
import { type User, usersKey } from './queries.ts'

/** A mutation of users that refetches all user queries.
 *  @param done The success message. */
export function useUserChange<Input = void, Output = unknown>(
  change: (input: Input) => Promise<Output>,
  done: string | ((output: Output, input: Input) => string),
) {
  return useMutation({
    mutationFn: change,
    onSuccess: async (output, input) => {
      tellDone(typeof done === 'string' ? done : done(output, input))
      await refresh(usersKey)
    },
  })
}

const adminPath = (id: string, rest = ''): string => `/auth/v1/admin/users/${id}${rest}`

export type UserFields = {
  readonly email?: string
  readonly phone?: string
  readonly password?: string
  readonly email_confirm?: boolean
  readonly phone_confirm?: boolean
  readonly user_metadata?: Record<string, unknown>
  readonly app_metadata?: Record<string, unknown>
  /** A duration such as `24h`, or `none`. */
  readonly ban_duration?: string
}

export const createUser = (fields: UserFields): Promise<User> =>
  service('/auth/v1/admin/users', { method: 'POST', body: fields })

export const inviteUser = (email: string, data: Record<string, unknown>): Promise<User> =>
  service('/auth/v1/invite', { method: 'POST', body: { email, data } })

export const updateUser = (id: string, fields: UserFields): Promise<User> =>
  service(adminPath(id), { method: 'PUT', body: fields })

/** @param isSoft Keeps an anonymized row. @param snapshot Whether the data is kept first. */
export const deleteUser = (id: string, isSoft: boolean, snapshot: boolean): Promise<unknown> =>
  service(adminPath(id), { method: 'DELETE', body: { should_soft_delete: isSoft }, snapshot })

export const deleteFactor = (userId: string, id: string): Promise<unknown> =>
  service(adminPath(userId, `/factors/${id}`), { method: 'DELETE' })

export const deletePasskey = (userId: string, id: string): Promise<unknown> =>
  service(adminPath(userId, `/passkeys/${id}`), { method: 'DELETE' })

/** Ends one or all sessions of a user. Auth has no route for this. */
export const endSessions = (userId: string, id: string | null): Promise<unknown> =>
  write([
    {
      text: 'delete from auth.sessions where user_id = $1::uuid and ($2::uuid is null or id = $2::uuid)',
      values: [userId, id],
    },
  ])

export const MAILS = {
  recovery: 'Password recovery',
  magiclink: 'Magic link',
  invite: 'Invitation',
  signup: 'Confirmation',
} as const
export type Mail = keyof typeof MAILS

/** Sends a mail as an app would request it, so that the same limits apply. */
export function sendMail(mail: Mail, email: string): Promise<unknown> {
  switch (mail) {
    case 'recovery':
      return service('/auth/v1/recover', { method: 'POST', body: { email } })
    case 'magiclink':
      return service('/auth/v1/otp', { method: 'POST', body: { email, create_user: false } })
    case 'invite':
      return service('/auth/v1/invite', { method: 'POST', body: { email } })
    case 'signup':
      return service('/auth/v1/resend', { method: 'POST', body: { type: 'signup', email } })
  }
}

export type SignIn = {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_at: number
}
type Link = { readonly hashed_token: string; readonly action_link: string }

const generateLink = (email: string, redirectTo: string): Promise<Link> =>
  service('/auth/v1/admin/generate_link', {
    method: 'POST',
    body: { type: 'magiclink', email, redirect_to: redirectTo },
  })

/** Starts a session for a user with an email address, and confirms it. */
export async function signInAs(email: string): Promise<SignIn> {
  const { hashed_token } = await generateLink(email, '')
  return service('/auth/v1/verify', {
    method: 'POST',
    as: 'anon',
    body: { type: 'magiclink', token_hash: hashed_token },
  })
}

/** A one-time link that signs a user in and opens a page of the app.
 *  @param redirectTo An allowed address; empty for `site_url`. */
export const signInLink = async (email: string, redirectTo: string): Promise<string> =>
  (await generateLink(email, redirectTo)).action_link

/** Auth merges metadata and deletes null properties. @returns what to send to end up with `wanted`. */
export function metadataChange(
  current: Record<string, unknown>,
  wanted: Record<string, unknown>,
): Record<string, unknown> {
  const dropped = Object.keys(current).filter((key) => !(key in wanted))
  return { ...Object.fromEntries(dropped.map((key) => [key, null])), ...wanted }
}
