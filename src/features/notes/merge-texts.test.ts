// @vitest-environment node
import { expect, test } from 'vitest'
import { mergeTexts } from './merge-texts.ts'

const BASE = 'The lamp burns.\n\nThe sea is dark.\n\nThe end.'
test.each([
  [
    'different places',
    'The lamp shines.\n\nThe sea is dark.\n\nThe end.',
    'The lamp burns.\n\nThe sea is dark.\n\nThe very end.',
    'The lamp shines.\n\nThe sea is dark.\n\nThe very end.',
  ],
  ['one of them nothing', BASE, `${BASE}\nMore.`, `${BASE}\nMore.`],
  ['both the same', BASE.replace('dark', 'bright'), BASE.replace('dark', 'bright'), BASE.replace('dark', 'bright')],
  ['the same place', BASE.replace('dark', 'calm'), BASE.replace('dark', 'wild'), undefined],
  [
    'one has deleted what the other changed',
    BASE.replace('The sea is dark.\n\n', ''),
    BASE.replace('dark', 'wild'),
    undefined,
  ],
])('%s', (_name, mine, theirs, merged) => {
  expect(mergeTexts(BASE, mine, theirs)).toBe(merged)
  expect(mergeTexts(BASE, theirs, mine)).toBe(merged)
})
