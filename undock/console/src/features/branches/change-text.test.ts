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
  ['a switch reached its branch', { change: { do: 'switch', name: 'main' }, folder: 'state/1' }, true],
  ["a switch didn't reach its branch", { change: { do: 'switch', name: 'idea' }, folder: 'state/2' }, false],
  [
    'a restored snapshot changes the state folder',
    { change: { do: 'restore-snapshot', name: 's' }, folder: 'state/1' },
    true,
  ],
  [
    'a failed restore keeps the state folder',
    { change: { do: 'restore-snapshot', name: 's' }, folder: 'state/2' },
    false,
  ],
] as const)('%s', (_, waited, isThere) => {
  expect(isReached(waited, running)).toBe(isThere)
})

test('destructive changes are confirmed by typing the name', () => {
  const isNamed = (kind: ConfirmedChange['do']) => questionOf({ do: kind, name: 'idea' }, 'main').name === 'idea'
  expect(isNamed('delete') && isNamed('restore-snapshot')).toBe(true)
  expect(isNamed('switch') || isNamed('delete-snapshot')).toBe(false)
})
