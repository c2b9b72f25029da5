import type { Notification } from './queries.ts'

export type NotificationGroup = {
  key: string
  /** Newest first. */
  notifications: readonly [Notification, ...Notification[]]
  unread: readonly number[]
}

const subjectOf = ({ id, document_id, kind, library_id, search_id }: Notification): string =>
  document_id ?? (kind === 'import' ? `import ${library_id}` : (search_id ?? `${id}`))

/** Groups notifications, ordered by the newest of each group. @param notifications Newest first. */
export function groupNotifications(notifications: readonly Notification[]): NotificationGroup[] {
  return [...Map.groupBy(notifications, subjectOf)].flatMap(([key, [newest, ...older]]) =>
    newest
      ? [
          {
            key,
            notifications: [newest, ...older] as const,
            unread: [newest, ...older].flatMap(({ id, read_at }) => (read_at === null ? [id] : [])),
          },
        ]
      : [],
  )
}
