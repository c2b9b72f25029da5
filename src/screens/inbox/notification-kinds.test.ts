import { expect, test } from 'vitest'
import type { Notification } from '../../features/notifications/queries.ts'
import { sentence } from './notification-kinds.ts'

const mention = {
  kind: 'mention',
  comment_id: null,
  amount: 1,
  failed: 0,
  rule: null,
  search: null,
  actor: null,
  actors: [],
} as unknown as Notification
const person = (display_name: string) => ({ display_name, avatar_path: null })

test.each([
  ['its only writer', { actor: person('Mary') }, 'Mary mentions you in this note'],
  ['all its writers', { actors: [person('Mary'), person('Ada')] }, 'Mary and Ada mention you in this note'],
  ['people whose account was deleted', {}, 'Someone mentions you in this note'],
])('a mention in a note names %s', (_who, by, text) => {
  expect(sentence({ ...mention, ...by } as Notification)).toBe(text)
})

test('arrived files are counted per request', () => {
  const arrived = { ...mention, kind: 'request', amount: 2, request: { title: 'Offers', collection_id: null } } as const
  expect(sentence(arrived)).toBe('2 files have arrived for “Offers”')
})
