// @vitest-environment jsdom
import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Correction } from './correction.tsx'

test.each([
  [
    '"backup recovery"',
    ' backup recovery ',
    'No exact match for “backup recovery”. Results for these words: backup recovery',
  ],
  ['a "b c" "d e"', 'a  b c   d e ', 'No exact match for “b c · d e”. Results for these words: a b c d e'],
  ['lamp "b c" -"d e"', 'lamp  b c  -"d e" ', 'No exact match for “b c”. Results for these words: lamp b c -"d e"'],
  ['bakcup', 'backup', 'Showing results for backup. Search for “bakcup” instead'],
  [
    'bakcup "the lamp"',
    'backup "the lamp"',
    'Showing results for backup "the lamp". Search for “bakcup "the lamp"” instead',
  ],
  [
    'bakcup -"the lamp"',
    'backup -"the lamp"',
    'Showing results for backup -"the lamp". Search for “bakcup -"the lamp"” instead',
  ],
])('the correction of %s is explained', (typed, searched, text) => {
  const { container } = render(<Correction typed={typed} searched={searched} onExact={() => {}} />)
  expect(container.textContent).toBe(text)
})
