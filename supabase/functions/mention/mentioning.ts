import type { SupabaseClient } from '@supabase/supabase-js'
import { z } from 'zod'
import { Refusal } from '../_shared/http.ts'
import type { Mail } from '../_shared/mail/settings.ts'
import { mailOf, Owed } from './mention-mail.ts'

export type MentioningDeps = {
  /** Has the caller's rights: tells who they are, and whether the comment is theirs. */
  readonly caller: SupabaseClient
  readonly service: SupabaseClient
  readonly send: (mail: Mail) => Promise<void>
  readonly site: string
}

/** Sends a mail to each mentioned member, once. A mail that cannot be sent stays due, and is sent with the next call.
 *  @throws {Refusal} 404 when the caller has no such comment. */
export async function mailMentions(
  comment: string,
  { caller, service, send, site }: MentioningDeps,
): Promise<{ mailed: number }> {
  const { data: author } = await caller.rpc('author_of', { comment }).throwOnError()
  if (author === null) throw new Refusal(404, 'There is no such comment of yours.')
  const taken = await service.rpc('take_mention_mails', { comment, author }).throwOnError()
  const owed = z.array(Owed).parse(taken.data)
  const unsent: string[] = []
  for (const one of owed) {
    try {
      await send(mailOf(one, comment, site))
    } catch (error) {
      console.warn('mention by mail:', error)
      unsent.push(one.user_id)
    }
  }
  if (unsent.length > 0) await service.rpc('give_back_mention_mails', { comment, people: unsent }).throwOnError()
  return { mailed: owed.length - unsent.length }
}
