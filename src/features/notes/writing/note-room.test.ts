// @vitest-environment node
import { expect, test } from 'vitest'
import { readBeginning } from './beginning.ts'
import { fakeDatabase } from './fake-writers.ts'
import type { Message } from './messages.ts'
import { openRoom } from './note-room.ts'

test('a writer whose name comes after they have joined is shown to the others', async () => {
  const { store, latest } = fakeDatabase('The lamp burns.')
  const present = new Set<(message: Message) => void>()
  const enter = async () =>
    openRoom({
      store,
      beginning: await readBeginning(store, latest()),
      send: store.add,
      recall: () => false,
      join: ({ onJoin, onMessage }) => {
        present.add(onMessage)
        queueMicrotask(onJoin)
        return {
          send: (message) => {
            for (const receive of present) if (receive !== onMessage) receive(message)
          },
          close: () => present.delete(onMessage),
        }
      },
      isSaved: () => true,
    })
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
