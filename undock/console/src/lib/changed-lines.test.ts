import { expect, test } from 'vitest'
import { changedLines } from '../components/file-difference.tsx'

const text = (before: string, after: string) => changedLines(before, after).map(({ mark, text: line }) => mark + line)

test('shows differences with two lines of context', () => {
  expect(text('a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nX\ne\nf\n')).toEqual([' b', ' c', '-d', '+X', ' e', ' f'])
})

test('handles new, equal and repeated lines', () => {
  expect(text('', 'a\nb\n')).toEqual(['+a', '+b'])
  expect(text('a\n', 'a\n')).toEqual([' a'])
  expect(text('a\na\n', 'a\na\na\n')).toEqual([' a', ' a', '+a'])
})
