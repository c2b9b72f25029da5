import * as z from 'zod/mini'

/** A member's presence: who they are and what they have open. */
export const Presence = z.object({
  person: z.guid(),
  document: z.nullable(z.guid()),
  page: z.nullable(z.int()),
  /** Whether they are editing the document. */
  writes: z.optional(z.boolean()),
})
export type Presence = z.infer<typeof Presence>

/** Returns everyone present, once each even with several tabs.
 *  Ignores malformed entries: any member can send anything. */
export function parsePresence(state: Record<string, readonly unknown[]>): Presence[] {
  const people = new Map<string, Presence>()
  for (const entries of Object.values(state)) {
    for (const entry of entries) {
      const parsed = Presence.safeParse(entry)
      if (!parsed.success) continue
      const present = people.get(parsed.data.person)
      if (!present || parsed.data.document) people.set(parsed.data.person, parsed.data)
    }
  }
  return [...people.values()]
}
