// @vitest-environment node
import { expect, test } from 'vitest'
import { type Message, say, sayFailure, showMessages } from './toast.ts'

test('what is said before anything can draw it waits, and is shown once', () => {
  say({ title: 'first' })
  sayFailure({ code: '23514', message: 'One owner stays.', hint: 'Name another first.' })
  const shown: Message[] = []
  const end = showMessages((message) => shown.push(message))
  say({ title: 'third' })
  end()
  say({ title: 'fourth' })
  expect(shown).toEqual([
    { title: 'first' },
    { title: 'One owner stays.', description: 'Name another first.', failed: true },
    { title: 'third' },
  ])
  showMessages((message) => shown.push(message))()
  expect(shown.at(-1)).toEqual({ title: 'fourth' })
})
