import { expect, test } from 'vitest'
import { mergeTexts } from './merge-texts.ts'

const BASE = 'The lamp burns.\n\nThe sea is dark.\n\nThe end.'
test.each([
  [
    'changes in different places',
    'The lamp shines.\n\nThe sea is dark.\n\nThe end.',
    'The lamp burns.\n\nThe sea is dark.\n\nThe very end.',
    'The lamp shines.\n\nThe sea is dark.\n\nThe very end.',
  ],
  ['only one changed', BASE, `${BASE}\nMore.`, `${BASE}\nMore.`],
  ['the same change', BASE.replace('dark', 'bright'), BASE.replace('dark', 'bright'), BASE.replace('dark', 'bright')],
  ['conflicting changes', BASE.replace('dark', 'calm'), BASE.replace('dark', 'wild'), undefined],
  [
    'a deletion and a change of the same text',
    BASE.replace('The sea is dark.\n\n', ''),
    BASE.replace('dark', 'wild'),
    undefined,
  ],
])('%s', (_name, mine, theirs, merged) => {
  expect(mergeTexts(BASE, mine, theirs)).toBe(merged)
  expect(mergeTexts(BASE, theirs, mine)).toBe(merged)
})
