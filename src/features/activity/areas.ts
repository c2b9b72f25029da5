import { msg } from '../../lib/i18n/i18n.ts'
import type { ActivityFilter } from './filter.ts'

/** Filter areas, each with prefixes of entry kinds (docs/audit.md). */
export const AREAS = [
  { value: 'documents', label: msg('Documents'), kinds: ['document', 'change', 'hold'] },
  { value: 'comments', label: msg('Comments'), kinds: ['comment'] },
  { value: 'people', label: msg('People and rights'), kinds: ['member', 'invitation', 'grant', 'group', 'company'] },
  { value: 'sharing', label: msg('Links'), kinds: ['share', 'request'] },
  {
    value: 'structure',
    label: msg('Collections, tags and fields'),
    kinds: ['collection', 'approval', 'tag', 'field', 'template'],
  },
  { value: 'library', label: msg('The library itself'), kinds: ['library', 'retention'] },
  { value: 'arriving', label: msg('Rules and email addresses'), kinds: ['rule', 'mail'] },
  { value: 'programs', label: msg('Webhooks and keys'), kinds: ['webhook', 'key'] },
  { value: 'audit', label: msg('Exports of this log'), kinds: ['audit'] },
] as const

/** Converts a filter for the database. Days are in the local time zone. */
export function filterParameters({ person, area, since, until }: ActivityFilter) {
  const kinds = AREAS.find(({ value }) => value === area)?.kinds
  return {
    ...(person ? { person } : {}),
    ...(kinds ? { kinds: [...kinds] } : {}),
    ...(since ? { since: midnight(since, 0) } : {}),
    ...(until ? { until: midnight(until, 1) } : {}),
  }
}

function midnight(day: string, later: number): string {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + later)
  return date.toISOString()
}
