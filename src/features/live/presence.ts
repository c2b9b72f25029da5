import * as z from 'zod/mini'

/** What a member tells the others of a library: who they are, and what they have open. */
export const Presence = z.object({
  person: z.guid(),
  document: z.nullable(z.guid()),
  page: z.nullable(z.int()),
})
export type Presence = z.infer<typeof Presence>

/** Everybody who is in, once each: a person with two tabs is one person, where they last said they were.
 *  What does not look like presence is ignored; any member can send anything. */
export function whoIsHere(state: Record<string, readonly unknown[]>): Presence[] {
  const people = new Map<string, Presence>()
  for (const entries of Object.values(state)) {
    for (const entry of entries) {
      const parsed = Presence.safeParse(entry)
      if (!parsed.success) continue
      const known = people.get(parsed.data.person)
      if (!known || parsed.data.document) people.set(parsed.data.person, parsed.data)
    }
  }
  return [...people.values()]
}
