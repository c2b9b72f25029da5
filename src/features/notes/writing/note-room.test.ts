// @vitest-environment node
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { readBeginning } from './beginning.ts'
import { fakeDatabase } from './fake-writers.ts'
import type { Message } from './messages.ts'
import { openRoom } from './note-room.ts'
import { changeText, docOf } from './shared-text.ts'

/** A channel without a network, in which everybody hears the others.
 *  @returns how writers enter; `rejoin` greets those who are there anew, `vanish` ends a writer's channel without a word. */
function openChannel() {
  const { store, latest } = fakeDatabase('The lamp burns.')
  const present = new Set<(message: Message) => void>()
  return async () => {
    let rejoin = () => {}
    let vanish = () => {}
    const room = openRoom({
      store,
      beginning: await readBeginning(store, latest()),
      send: store.add,
      recall: () => false,
      join: ({ onJoin, onMessage }) => {
        present.add(onMessage)
        queueMicrotask(onJoin)
        rejoin = onJoin
        vanish = () => present.delete(onMessage)
        return {
          send: (message) => {
            for (const receive of present) if (receive !== onMessage) receive(message)
          },
          close: vanish,
        }
      },
      isSaved: () => true,
      onSaved: () => {},
    })
    return { ...room, rejoin, vanish }
  }
}

test('a writer whose name comes after they have joined is shown to the others', async () => {
  const enter = openChannel()
  const ada = await enter()
  ada.introduce('Ada')
  const mary = await enter()
  await expect.poll(() => mary.state().others).toEqual(['Ada'])
  // The editor may tell where the writer is before the page tells who it is.
  mary.awareness.setLocalStateField('cursor', { anchor: null, head: null })
  expect(ada.state().others).toEqual([])
  mary.introduce('Mary')
  expect(ada.state().others).toEqual(['Mary'])

  await mary.leave()
  expect(ada.state().others).toEqual([])
  await ada.leave()
})

test('whoever does not answer the greeting of a new channel is not shown any more', async () => {
  const enter = openChannel()
  const ada = await enter()
  const [mary, ben] = [await enter(), await enter()]
  mary.introduce('Mary')
  ben.introduce('Ben')
  await expect.poll(() => ada.state().others).toEqual(['Mary', 'Ben'])
  mary.vanish()
  ada.rejoin()
  expect(ada.state().others).toEqual(['Ben'])
  for (const room of [mary, ben, ada]) await room.leave()
})

test('whoever saves shows the version with all that was written so far, also by others who go on', async () => {
  const { store, latest } = fakeDatabase('')
  const saved: { id: string; body: string }[] = []
  const room = openRoom({
    store,
    beginning: await readBeginning(store, latest()),
    send: store.add,
    recall: () => false,
    join: () => ({ send: () => {}, close: () => {} }),
    isSaved: () => false,
    onSaved: (version) => saved.push(version),
  })
  const other = await readBeginning(store, latest())
  const doc = docOf(...other.updates)
  const before = Y.encodeStateVector(doc)
  changeText(doc, 'The lamp burns.')
  await store.add({ generation: other.generation, update: Y.encodeStateAsUpdate(doc, before) })

  expect(await room.save()).toBe(true)
  expect(saved).toEqual([latest()].map(({ id, text }) => ({ id, body: text })))
  expect(saved[0]?.body).toBe('The lamp burns.')
  await room.leave()
})
