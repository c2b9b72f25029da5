import { expect, test } from 'vitest'
import type { RunningBranches } from './branches.ts'
import { type ConfirmedChange, isReached, questionOf } from './change-text.ts'

const running = {
  branches: [
    { name: 'main', folder: 'state/2', current: true },
    { name: 'idea', folder: 'state/1', current: false },
  ],
} as unknown as RunningBranches

test.each([
  ['a switch has led to its branch', { change: { do: 'switch', name: 'main' }, folder: 'state/1' }, true],
  ['a switch has led nowhere', { change: { do: 'switch', name: 'idea' }, folder: 'state/2' }, false],
  ['a restored snapshot is other data', { change: { do: 'restore-snapshot', name: 's' }, folder: 'state/1' }, true],
  ['a failed restore is the same data', { change: { do: 'restore-snapshot', name: 's' }, folder: 'state/2' }, false],
] as const)('%s', (_, waited, isThere) => {
  expect(isReached(waited, running)).toBe(isThere)
})

test('what destroys data is confirmed by its name', () => {
  const isNamed = (kind: ConfirmedChange['do']) => questionOf({ do: kind, name: 'idea' }, 'main').name === 'idea'
  expect(isNamed('delete') && isNamed('restore-snapshot')).toBe(true)
  expect(isNamed('switch') || isNamed('delete-snapshot')).toBe(false)
})
