import { expect, test } from 'vitest'
import * as Y from 'yjs'
import type { Message } from './messages.ts'
import { createPresence } from './presence.ts'

/** A channel that delivers immediately.
 *  @returns a function to join; `vanish` disconnects a writer without a message. */
function openChannel() {
  const present = new Set<(message: Message) => void>()
  return (name?: string) => {
    let others: string[] = []
    const receive = (message: Message) => {
      if (message.kind === 'awareness') presence.receive(message.bytes)
      if (message.kind === 'hello') presence.tell()
    }
    const send = (message: Message) => {
      for (const other of present) if (other !== receive) other(message)
    }
    const presence = createPresence(new Y.Doc(), send, (names) => {
      others = names
    })
    present.add(receive)
    presence.greet()
    if (name) presence.introduce(name)
    return { ...presence, others: () => others, vanish: () => void present.delete(receive) }
  }
}

test('a writer whose name arrives after joining is shown to others', () => {
  const enter = openChannel()
  const ada = enter('Ada')
  const mary = enter()
  expect(mary.others()).toEqual(['Ada'])
  mary.awareness.setLocalStateField('cursor', { anchor: null, head: null })
  expect(ada.others()).toEqual([])
  mary.introduce('Mary')
  expect(ada.others()).toEqual(['Mary'])
  expect([ada.isFirst(), mary.isFirst()].filter(Boolean)).toHaveLength(1)
  mary.leave()
  expect(ada.others()).toEqual([])
})

test('writers who don’t answer a new channel’s greeting are removed', () => {
  const enter = openChannel()
  const ada = enter('Ada')
  const mary = enter('Mary')
  enter('Ben')
  expect(ada.others()).toEqual(['Ben', 'Mary'])
  mary.vanish()
  ada.greet()
  expect(ada.others()).toEqual(['Ben'])
})

test('invalid presence is ignored, and long names are truncated', () => {
  const enter = openChannel()
  const ada = enter('Ada')
  ada.receive(Uint8Array.of(255, 255, 255))
  enter('x'.repeat(1_000))
  expect(ada.others()).toEqual(['x'.repeat(200)])
})
