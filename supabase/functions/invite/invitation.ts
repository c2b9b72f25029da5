import { z } from 'zod'
import type { Client } from '../_shared/clients.ts'
import { refusalFrom } from '../_shared/errors.ts'
import type { Deliver } from './deliveries.ts'
import { InvitationRow } from './invitation-mail.ts'

export type InvitationInput = {
  readonly library: string
  readonly email: string
  readonly role: 'guest' | 'reader' | 'editor' | 'owner'
  readonly collection?: string | undefined
  readonly collection_role?: 'reader' | 'editor' | undefined
  readonly locale: string
}

export type InviteDeps = {
  /** Has the caller's rights: the database decides whether they may invite. */
  readonly caller: Client
  readonly service: Client
  readonly deliver: Deliver
}

export type InvitationOutcome = {
  readonly id: string
  /** Returned only here: the database stores a hash. */
  readonly token: string
  readonly expires_at: string
  /** `limited`: too many mails within the hour; `failed`: the mail couldn't be sent. The invitation is valid in both
   *  cases, and its link can be shared another way. */
  readonly mail: 'sent' | 'limited' | 'failed'
}

const Made = z.object({ id: z.guid(), token: z.string(), expires_at: z.string() })
const Limited = z.object({ limited: z.literal(true) })

/** Creates an invitation and mails its link.
 *  @throws {Refusal} if the caller may not invite, or the address is already a member. */
export async function invite(
  input: InvitationInput,
  { caller, service, deliver }: InviteDeps,
): Promise<InvitationOutcome> {
  const { data, error } = await caller.rpc('invite_member', input)
  if (error) throw refusalFrom(error) ?? error
  const made = Made.parse(data)
  const taken = await service.rpc('take_invitation_mail', { invitation: made.id }).throwOnError()
  if (Limited.safeParse(taken.data).success) return { ...made, mail: 'limited' }
  try {
    await deliver(InvitationRow.parse(taken.data), made.token)
    return { ...made, mail: 'sent' }
  } catch (error) {
    console.warn('invite by email:', error)
    return { ...made, mail: 'failed' }
  }
}
