import * as z from 'zod/mini'
import { formatDate } from '../lib/i18n/format.ts'
import { formattingLocale, t } from '../lib/i18n/i18n.ts'
import { lenient } from '../lib/lenient.ts'
import { isRole, roleLabel } from './roles.ts'
import { changeSentence, RuleChange } from './rule-changes.ts'

const Subject = z.object({
  title: lenient(z.string()),
  from: lenient(z.string()),
  until: lenient(z.string()),
  name: lenient(z.string()),
  email: lenient(z.string()),
  role: lenient(z.string()),
  collection: lenient(z.string()),
  api_key: lenient(z.string()),
  group: lenient(z.string()),
  reason: lenient(z.string()),
  request: lenient(z.string()),
  rule: lenient(z.string()),
  names: lenient(z.array(z.string())),
  writers: lenient(z.array(z.string())),
  version: lenient(z.number()),
  count: lenient(z.number()),
  changes: lenient(z.array(RuleChange)),
})

/** Describes an action, to follow the person's name. @param subject Names at that time, as recorded. */
export function sentence(verb: string, subject: unknown): string {
  const parsed = Subject.safeParse(subject)
  const {
    title = '…',
    from = '…',
    until,
    name = '…',
    email = '…',
    role = '…',
    collection = '…',
    group,
    reason = '…',
    request = '…',
    rule = '…',
    changes = [],
  } = parsed.data ?? {}
  const writers = parsed.data?.writers && listed({ names: parsed.data.writers })
  // Old comment entries have no title.
  const isTitled = parsed.data?.title !== undefined
  switch (verb) {
    case 'document.added':
      return writers
        ? t('approved “{title}”, new by {names}', { title, names: writers })
        : t('added “{title}”', { title })
    case 'document.renamed':
      return t('renamed “{from}” to “{title}”', { from, title })
    case 'document.moved':
      return t('moved “{title}”', { title })
    case 'document.trashed':
      return parsed.data?.rule === undefined
        ? t('moved “{title}” to the trash', { title })
        : t('A retention rule put “{title}” in the trash', { title })
    case 'document.restored':
      return t('restored “{title}” from the trash', { title })
    case 'document.revised':
      return writers
        ? t('approved a change to “{title}” by {names}', { title, names: writers })
        : t('added a new version of “{title}”', { title })
    case 'change.proposed':
      return t('proposed a change to “{title}”', { title })
    case 'change.returned':
      return t('sent a change to “{title}” back: {reason}', { title, reason })
    case 'change.withdrawn':
      return t('withdrew a change to “{title}”', { title })
    case 'document.verified':
      return t('verified “{title}” until {date}', { title, date: until === undefined ? '…' : formatDate(until) })
    case 'document.unverified':
      return t('ended the verification of “{title}”', { title })
    case 'document.ran_rule':
      return t('Rule “{rule}” on “{title}”: {changes}', {
        rule,
        title,
        changes: changes.map(changeSentence).join(', '),
      })
    case 'document.deleted':
      return t('permanently deleted “{title}”', { title })
    case 'comment.added':
      return isTitled ? t('commented on “{title}”', { title }) : t('commented')
    case 'comment.resolved':
      return isTitled ? t('resolved a comment on “{title}”', { title }) : t('resolved a comment')
    case 'comment.reopened':
      return t('reopened a comment on “{title}”', { title })
    case 'comment.deleted':
      return t('deleted a comment on “{title}”', { title })
    case 'member.joined':
      return t('{name} joined as {role}', { name, role: called(role) })
    case 'member.left':
      return t('{name} left', { name })
    case 'member.removed':
      return t('removed {name}', { name })
    case 'member.role_changed':
      return t('changed {name} from {from} to {role}', { name, role: called(role), from: called(from) })
    case 'invitation.sent':
      return t('invited {email} as {role}', { email, role: called(role) })
    case 'invitation.withdrawn':
      return t('withdrew the invitation of {email}', { email })
    case 'grant.given':
      return group === undefined
        ? t('gave {name} access to “{collection}”', { collection, name })
        : t('gave the group “{group}” access to “{collection}”', { collection, group })
    case 'grant.removed':
      return group === undefined
        ? t('revoked {name}’s access to “{collection}”', { collection, name })
        : t('revoked access to “{collection}” for the group “{group}”', { collection, group })
    case 'group.created':
      return t('created the group “{group}”', { group: group ?? '…' })
    case 'group.renamed':
      return t('renamed the group “{from}” to “{group}”', { from, group: group ?? '…' })
    case 'group.deleted':
      return t('deleted the group “{group}”', { group: group ?? '…' })
    case 'group.member_added':
      return t('added {people} to the group “{group}”', { people: listed(parsed.data), group: group ?? '…' })
    case 'group.member_removed':
      return t('removed {people} from the group “{group}”', { people: listed(parsed.data), group: group ?? '…' })
    case 'share.created':
      return t('created a link to “{title}”', { title })
    case 'share.revoked':
      return t('revoked a link to “{title}”', { title })
    case 'request.created':
      return t('requested files: “{title}”', { title: request })
    case 'request.closed':
      return t('closed the request for files “{title}”', { title: request })
    case 'request.file_taken':
      return t('accepted “{title}” from the request “{request}”', { title, request })
    case 'key.created':
      return t('created the API key “{name}”', { name })
    case 'key.revoked':
      return t('revoked the API key “{name}”', { name })
    case 'library.renamed':
      return t('renamed the library from “{from}” to “{name}”', { from, name })
    case 'library.locked':
      return t('required a second factor')
    case 'library.unlocked':
      return t('no longer requires a second factor')
    case 'retention.set':
      return parsed.data?.collection === undefined
        ? t('set the retention rule of the library')
        : t('set the retention rule of “{collection}”', { collection })
    case 'retention.ended':
      return parsed.data?.collection === undefined
        ? t('ended the retention rule of the library')
        : t('ended the retention rule of “{collection}”', { collection })
    case 'hold.placed':
      return t('placed a legal hold on “{title}”: {reason}', { title, reason })
    case 'hold.lifted':
      return t('lifted the legal hold on “{title}”: {reason}', { title, reason })
    default:
      return verb
  }
}

/** Returns the API key used, if any. */
export const apiKeyOf = (subject: unknown): string | undefined => Subject.safeParse(subject).data?.api_key
export function approvedVersionOf(subject: unknown): number | undefined {
  const { writers, version } = Subject.safeParse(subject).data ?? {}
  return writers && version
}

/** Formats names as a list with the number of omitted ones. */
function listed({
  names = [],
  count = names.length,
}: {
  names?: string[] | undefined
  count?: number | undefined
} = {}) {
  const others = count - names.length
  const all = others > 0 ? [...names, t('{count} more', { count: others })] : names
  return new Intl.ListFormat(formattingLocale(), { type: 'conjunction' }).format(all) || '…'
}

const called = (role: string): string => (isRole(role) ? roleLabel(role) : role)

/** Whether the sentence starts with its subject: a person who joins or leaves, or a rule. */
export const namesItsSubject = (verb: string, subject: unknown): boolean =>
  verb === 'member.joined' || verb === 'member.left' || Subject.safeParse(subject).data?.rule !== undefined
