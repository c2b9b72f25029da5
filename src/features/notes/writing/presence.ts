import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import type * as Y from 'yjs'
import * as z from 'zod/mini'
import type { Message } from './messages.ts'

/** What another writer tells of themselves. Any writer can send anything. */
const Person = z.object({ name: z.string() })
const LONGEST_NAME = 200
/** @returns undefined for what is no name. */
export const nameOf = (state: Record<string, unknown> | undefined): string | undefined =>
  Person.safeParse(state?.user).data?.name.slice(0, LONGEST_NAME) || undefined

/** The writers' names, each once, in alphabetical order, so that everyone sees the same order.
 *  @param except The client that's left out. */
export const namesOf = (awareness: Awareness, except?: number): string[] => {
  const names = [...awareness.getStates()].flatMap(([client, state]) =>
    client === except ? [] : (nameOf(state) ?? []),
  )
  return [...new Set(names)].sort((a, b) => a.localeCompare(b))
}

/** Who writes in a note, and where: tells the others of this writer, and knows what they told.
 *  @param onOthers Called with the names of the others when they change. */
export function createPresence(doc: Y.Doc, send: (message: Message) => void, onOthers: (names: string[]) => void) {
  const awareness = new Awareness(doc)
  const me = doc.clientID
  const REMOTE = Symbol('others')
  let names: string[] = []
  const tell = () => send({ kind: 'awareness', bytes: encodeAwarenessUpdate(awareness, [me]) })

  awareness.on(
    'update',
    ({ added, updated, removed }: Record<'added' | 'updated' | 'removed', number[]>, origin: unknown) => {
      if (origin !== REMOTE && [...added, ...updated, ...removed].includes(me)) tell()
      const others = namesOf(awareness, me)
      // A name may come after its writer; most updates only move a caret.
      if (others.join() === names.join()) return
      names = others
      onOthers(names)
    },
  )
  return {
    awareness,
    introduce: (name: string) => awareness.setLocalStateField('user', { name }),
    /** Greets those who write now. Who is still there answers; others may have lost the right to write, which began this channel:
     *  they left the one before, and nobody heard it. */
    greet(): void {
      const others = [...awareness.getStates().keys()].filter((client) => client !== me)
      for (const client of others) awareness.meta.delete(client)
      removeAwarenessStates(awareness, others, REMOTE)
      send({ kind: 'hello' })
      tell()
    },
    /** Answers a greeting. */
    tell,
    receive(bytes: Uint8Array): void {
      try {
        applyAwarenessUpdate(awareness, bytes, REMOTE)
      } catch {}
    },
    /** The first of the writers saves for all. */
    isFirst: () => Math.min(...awareness.getStates().keys()) === me,
    leave: () => removeAwarenessStates(awareness, [me], 'leaving'),
  }
}
