import { expect, test } from 'vitest'
import { groupNotifications } from './groups.ts'
import type { Notification } from './queries.ts'

const notification = (id: number, more: Partial<Notification>): Notification => ({
  id,
  kind: 'mention',
  library_id: 'lab',
  document_id: null,
  comment_id: null,
  invitation_id: null,
  search_id: null,
  amount: 1,
  failed: 0,
  read_at: null,
  created_at: '2026-11-23T08:00:00Z',
  library: { name: 'Lab' },
  document: null,
  comment: null,
  actor: null,
  actors: [],
  search: null,
  rule: null,
  request: null,
  ...more,
})

test('notifications are grouped by document, by search, and by imports of a library', () => {
  const groups = groupNotifications([
    notification(9, { document_id: 'lamps' }),
    notification(8, { kind: 'import' }),
    notification(7, { kind: 'search', search_id: 'wicks' }),
    notification(6, { kind: 'reply', document_id: 'lamps', read_at: '2026-11-23T09:00:00Z' }),
    notification(5, { kind: 'import', library_id: 'other' }),
    notification(4, { kind: 'invitation', invitation_id: 'one' }),
    notification(3, { kind: 'search', search_id: 'wicks' }),
    notification(2, { kind: 'import' }),
  ])
  expect(groups.map(({ notifications, unread }) => [notifications.map(({ id }) => id), unread])).toEqual([
    [[9, 6], [9]],
    [
      [8, 2],
      [8, 2],
    ],
    [
      [7, 3],
      [7, 3],
    ],
    [[5], [5]],
    [[4], [4]],
  ])
})
