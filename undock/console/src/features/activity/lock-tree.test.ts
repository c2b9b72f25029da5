import { expect, test } from 'vitest'
import { lockTree } from './session-list.tsx'

const lines = (...sessions: [pid: number, ...blockers: number[]][]): string[] =>
  lockTree(sessions.map(([pid, ...blockers]) => ({ pid, blockers }))).map(
    ({ session, depth }) => `${'-'.repeat(depth)}${session.pid}`,
  )

test('shows a session below the one it waits for, blocking sessions first', () => {
  expect(lines([1], [2, 4], [3, 2], [4], [5, 4])).toEqual(['4', '-2', '--3', '-5', '1'])
})

test('shows a session that waits for several once, below the first', () => {
  expect(lines([1], [2], [3, 2, 1])).toEqual(['2', '-3', '1'])
})

test('ignores prepared transactions and ended sessions as parents', () => {
  expect(lines([1, 0], [2, 99])).toEqual(['1', '2'])
})

test('shows all sessions of a deadlock', () => {
  expect(lines([1, 2], [2, 3], [3, 1], [4])).toEqual(['4', '1', '-3', '--2'])
})
