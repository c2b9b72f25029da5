import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import type * as Y from 'yjs'
import * as z from 'zod/mini'
import type { Message } from './messages.ts'

/** Another writer's self-description. Any writer can send anything. */
const Person = z.object({ name: z.string() })
const MAX_NAME_LENGTH = 200
/** @returns undefined without a valid name. */
export const nameOf = (state: Record<string, unknown> | undefined): string | undefined =>
  Person.safeParse(state?.user).data?.name.slice(0, MAX_NAME_LENGTH) || undefined

/** Returns the writers' distinct names, in alphabetical order for a stable display.
 *  @param except A client to leave out. */
export const namesOf = (awareness: Awareness, except?: number): string[] => {
  const names = [...awareness.getStates()].flatMap(([client, state]) =>
    client === except ? [] : (nameOf(state) ?? []),
  )
  return [...new Set(names)].sort((a, b) => a.localeCompare(b))
}

/** Tracks a note's writers and their carets. @param onOthers Called with the others' names when they change. */
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
      // A name may arrive after its writer; most updates only move a caret.
      if (others.join() === names.join()) return
      names = others
      onOthers(names)
    },
  )
  return {
    awareness,
    introduce: (name: string) => awareness.setLocalStateField('user', { name }),
    /** Asks current writers to respond. Others may have lost their rights and left the previous channel silently. */
    greet(): void {
      const others = [...awareness.getStates().keys()].filter((client) => client !== me)
      for (const client of others) awareness.meta.delete(client)
      removeAwarenessStates(awareness, others, REMOTE)
      send({ kind: 'hello' })
      tell()
    },
    tell,
    receive(bytes: Uint8Array): void {
      try {
        applyAwarenessUpdate(awareness, bytes, REMOTE)
      } catch {}
    },
    /** The first writer saves for all. */
    isFirst: () => Math.min(...awareness.getStates().keys()) === me,
    leave: () => removeAwarenessStates(awareness, [me], 'leaving'),
  }
}
