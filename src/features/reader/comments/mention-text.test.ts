import { expect, test } from 'vitest'
import { mentionAt, runsOf, withMentions } from './mention-text.ts'

const ADA = { id: '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001', name: 'Ada' }
const LOVELACE = { id: '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0002', name: 'Ada Lovelace' }
const ODD = { id: '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0003', name: 'Od[d](x)' }

test.each([
  ['a single name', 'Hello @Ada!', `Hello @[Ada](${ADA.id})!`],
  ['the longest matching name', '@Ada Lovelace and @Ada', `@[Ada Lovelace](${LOVELACE.id}) and @[Ada](${ADA.id})`],
  ['an unknown name', 'mail@example.org @Nobody @', 'mail@example.org @Nobody @'],
  ['a name with punctuation', '@Od[d](x).', `@[Odd(x)](${ODD.id}).`],
])('mentions are stored as Markdown: %s', (_name, written, kept) => {
  expect(withMentions(written, [ADA, LOVELACE, ODD])).toBe(kept)
})

test('stored mentions are shown as names, and other text is not parsed as a mention', () => {
  expect(runsOf(`Hello @[Ada](${ADA.id})! <b>@[x](y)</b>`)).toEqual([
    { text: 'Hello ' },
    { text: '@Ada', person: ADA.id },
    { text: '! <b>@[x](y)</b>' },
  ])
  expect(runsOf('')).toEqual([])
})

test.each([
  ['Hello @Ad', 9, { start: 6, typed: 'Ad' }],
  ['@', 1, { start: 0, typed: '' }],
  ['mail@ex', 7, undefined],
  ['@Ada\nnext', 9, undefined],
  ['no', 2, undefined],
])('the mention being typed in %j at %i', (written, caret, expected) => {
  expect(mentionAt(written, caret)).toEqual(expected)
})
