import type { SupabaseClient } from '@supabase/supabase-js'
import { z } from 'zod'
import { Refusal } from '../_shared/http.ts'
import type { Mail } from '../_shared/mail.ts'

const Owed = z.object({
  user_id: z.guid(),
  email: z.string(),
  library_id: z.guid(),
  document_id: z.guid(),
  author_name: z.string(),
  /** Null when the library requires a second factor: a mail must not reveal its content. */
  library_name: z.string().nullable(),
  title: z.string().nullable(),
  body: z.string().nullable(),
})
type Owed = z.infer<typeof Owed>

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

const LONGEST_SUBJECT = 150

/** Plain text only: no text that a user wrote into a comment, a title or a name is ever interpreted as markup. */
export function mailOf(owed: Owed, comment: string, site: string): Mail {
  const { author_name, library_name, title, body } = owed
  const about = title === null ? 'a comment' : `“${line(title)}”`
  const link = `${site}/l/${owed.library_id}/d/${owed.document_id}?comment=${comment}`
  return {
    to: owed.email,
    subject: `${line(author_name)} calls you in ${about}`.slice(0, LONGEST_SUBJECT),
    text: [
      body === null
        ? `${line(author_name)} has written a comment that calls you. Its library shows what is in it only to those who use their second factor there.`
        : `${line(author_name)} wrote in the library “${line(library_name ?? '')}”:\n\n${quoted(body)}`,
      `Read it where it stands:\n${link}`,
      `You get this mail because you are called by name in a comment. Whether you do, you say in your profile:\n${site}/settings/profile`,
    ].join('\n\n'),
  }
}

/** A name or a title may contain anything except line breaks. */
const line = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()

/** Shows mentions as readers see them, not as they are stored. */
const quoted = (body: string): string =>
  body
    .replaceAll(/@\[([^\][]{1,80})\]\([0-9a-f-]{36}\)/g, '@$1')
    .split('\n')
    .map((one) => `> ${line(one)}`)
    .join('\n')
