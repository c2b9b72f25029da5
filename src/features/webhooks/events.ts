import { msg } from '../../lib/i18n/i18n.ts'

/** Event types by subject, as listed by `webhook_event_types()` in the database. */
export const WEBHOOK_EVENTS = [
  {
    label: msg('Documents'),
    events: [
      { value: 'document.added', label: msg('A document is added') },
      { value: 'document.renamed', label: msg('A document gets another title') },
      { value: 'document.revised', label: msg('A document gets a new version') },
      { value: 'document.moved', label: msg('A document is moved') },
      { value: 'document.trashed', label: msg('A document is moved to the trash') },
      { value: 'document.restored', label: msg('A document is restored from the trash') },
      { value: 'document.deleted', label: msg('A document is permanently deleted') },
      { value: 'document.indexed', label: msg('A document has been read and is searchable') },
      { value: 'document.indexing_failed', label: msg('A document could not be read') },
    ],
  },
  {
    label: msg('Comments'),
    events: [
      { value: 'comment.added', label: msg('Someone comments') },
      { value: 'comment.resolved', label: msg('A comment is resolved') },
    ],
  },
  {
    label: msg('Members'),
    events: [
      { value: 'member.joined', label: msg('Someone joins') },
      { value: 'member.left', label: msg('Someone leaves') },
      { value: 'member.removed', label: msg('Someone is removed') },
      { value: 'member.role_changed', label: msg('Someone’s role changes') },
    ],
  },
  {
    label: msg('Requests for files'),
    events: [
      { value: 'request.created', label: msg('Someone requests files') },
      { value: 'request.closed', label: msg('A request for files is closed') },
      { value: 'request.file_taken', label: msg('A received file is accepted') },
    ],
  },
] as const

/** Whether a webhook's URL is allowed: HTTPS, or HTTP on this machine. */
export function isWebhookAddress(address: string): boolean {
  const url = URL.parse(address)
  if (url === null || `${url.username}${url.password}${url.hash}` !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && OWN_MACHINE.includes(url.hostname))
}

const OWN_MACHINE = ['localhost', '127.0.0.1', '[::1]']

/** Returns host and port of a URL on the backend's own machine, which needs WEBHOOK_ALLOWED_HOSTS.
 *  @returns undefined for other URLs. */
export function ownMachineHost(address: string): string | undefined {
  const url = URL.parse(address)
  if (url === null || !OWN_MACHINE.includes(url.hostname)) return undefined
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}
