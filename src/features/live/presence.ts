import * as z from 'zod/mini'

/** A member's presence in a library: who they are, and what they have open. */
export const Presence = z.object({
  person: z.guid(),
  document: z.nullable(z.guid()),
  page: z.nullable(z.int()),
  /** Whether they write in the document. */
  writes: z.optional(z.boolean()),
})
export type Presence = z.infer<typeof Presence>

/** Everybody who is present, once each, even with two tabs open.
 *  Malformed entries are ignored: any member can send anything. */
export function parsePresence(state: Record<string, readonly unknown[]>): Presence[] {
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
