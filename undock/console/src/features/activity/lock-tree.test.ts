import { expect, test } from 'vitest'
import { lockTree } from './session-list.tsx'

const lines = (...sessions: [pid: number, ...blockers: number[]][]): string[] =>
  lockTree(sessions.map(([pid, ...blockers]) => ({ pid, blockers }))).map(
    ({ session, depth }) => `${'-'.repeat(depth)}${session.pid}`,
  )

test('a session is below the one that it waits for, and those that block others come first', () => {
  expect(lines([1], [2, 4], [3, 2], [4], [5, 4])).toEqual(['4', '-2', '--3', '-5', '1'])
})

test('who waits for several is there once, below the first', () => {
  expect(lines([1], [2], [3, 2, 1])).toEqual(['2', '-3', '1'])
})

test('prepared transactions and sessions that ended meanwhile are no place to be below', () => {
  expect(lines([1, 0], [2, 99])).toEqual(['1', '2'])
})

test('sessions that wait for each other are all shown', () => {
  expect(lines([1, 2], [2, 3], [3, 1], [4])).toEqual(['4', '1', '-3', '--2'])
})
