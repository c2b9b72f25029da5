import type { SupabaseClient } from '@supabase/supabase-js'
import { z } from 'zod'
import { Refusal } from '../_shared/http.ts'

export type Wish = {
  readonly library: string
  readonly email: string
  readonly role: 'guest' | 'reader' | 'editor' | 'owner'
  readonly collection?: string | undefined
  readonly collection_role?: 'reader' | 'editor' | undefined
  readonly site?: string | undefined
}

export type InviteDeps = {
  /** Has the caller's rights: the database decides whether they may invite. */
  readonly caller: SupabaseClient
  readonly service: SupabaseClient
  /** Has an anonymous visitor's rights: requests a sign-in mail as the sign-in screen does. */
  readonly visitor: SupabaseClient
}

export type Outcome = {
  readonly id: string
  /** Returned only here: the database stores a hash of it. */
  readonly token: string
  readonly expires_at: string
  /** False when the mail could not be sent: the invitation is valid, and its link can be passed on in another way. */
  readonly mailed: boolean
}

const Made = z.object({ id: z.guid(), token: z.string(), expires_at: z.string() })

/** The refusals of the database that are written for people; other errors only go to the log. */
const TOLD = new Map([
  ['42501', 403],
  ['23505', 409],
  ['23514', 400],
  ['23503', 400],
])

/** Creates an invitation and mails its link: to a new address as an invitation of the auth service, which creates the
 *  account; to an address with an account as a sign-in link.
 *  @throws {Refusal} with the database's reason when the caller may not invite, or the address is already a member. */
export async function invite({ site, ...wish }: Wish, { caller, service, visitor }: InviteDeps): Promise<Outcome> {
  const { data, error } = await caller.rpc('invite_member', wish)
  if (error) {
    const status = TOLD.get(error.code)
    if (status) throw new Refusal(status, error.message)
    throw new Error(`invite_member: ${error.code} ${error.message}`, { cause: error })
  }
  const made = Made.parse(data)
  const next = `/invite/${made.token}`
  const redirectTo = site ? `${new URL(site).origin}/auth/callback?${new URLSearchParams({ next })}` : undefined
  return { ...made, mailed: await mail(wish.email, redirectTo, service, visitor) }
}

async function mail(
  email: string,
  redirectTo: string | undefined,
  service: SupabaseClient,
  visitor: SupabaseClient,
): Promise<boolean> {
  const invited = await service.auth.admin.inviteUserByEmail(email, redirectTo ? { redirectTo } : {})
  if (!invited.error) return true
  if (invited.error.code !== 'email_exists' && invited.error.code !== 'user_already_exists') {
    console.warn('invite by mail:', invited.error.code, invited.error.message)
    return false
  }
  const { error } = await visitor.auth.signInWithOtp({
    email,
    options: { shouldCreateUser: false, ...(redirectTo ? { emailRedirectTo: redirectTo } : {}) },
  })
  if (error) console.warn('invite by sign-in mail:', error.code, error.message)
  return !error
}
