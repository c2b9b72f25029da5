import * as z from 'zod/mini'
import { formatDate } from '../lib/i18n/format.ts'
import { formattingLocale, msg, t } from '../lib/i18n/i18n.ts'
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
  host: lenient(z.string()),
  domain: lenient(z.string()),
  names: lenient(z.array(z.string())),
  writers: lenient(z.array(z.string())),
  version: lenient(z.number()),
  count: lenient(z.number()),
  changes: lenient(z.array(RuleChange)),
})
type Subject = z.infer<typeof Subject>

const subjectOf = (subject: unknown): Subject => Subject.safeParse(subject).data ?? {}

/** What a person did, to follow their name. Entries of the activity and of the audit log. */
const SENTENCES: Readonly<Record<string, string>> = {
  'document.added': msg('added “{title}”'),
  'document.added by writers': msg('approved “{title}”, new by {names}'),
  'document.renamed': msg('renamed “{from}” to “{title}”'),
  'document.moved': msg('moved “{title}”'),
  'document.trashed': msg('moved “{title}” to the trash'),
  'document.trashed by a rule': msg('A retention rule put “{title}” in the trash'),
  'document.restored': msg('restored “{title}” from the trash'),
  'document.revised': msg('added a new version of “{title}”'),
  'document.revised by writers': msg('approved a change to “{title}” by {names}'),
  'change.proposed': msg('proposed a change to “{title}”'),
  'change.returned': msg('sent back a change to “{title}”: {reason}'),
  'change.withdrawn': msg('withdrew a change to “{title}”'),
  'document.verified': msg('verified “{title}” until {date}'),
  'document.unverified': msg('ended the verification of “{title}”'),
  'document.ran_rule': msg('Rule “{rule}” on “{title}”: {changes}'),
  'document.deleted': msg('permanently deleted “{title}”'),
  'comment.added': msg('commented on “{title}”'),
  'comment.added untitled': msg('commented'),
  'comment.resolved': msg('resolved a comment on “{title}”'),
  'comment.resolved untitled': msg('resolved a comment'),
  'comment.reopened': msg('reopened a comment on “{title}”'),
  'comment.deleted': msg('deleted a comment on “{title}”'),
  'member.joined': msg('{name} joined as {role}'),
  'member.left': msg('{name} left'),
  'member.removed': msg('removed {name}'),
  'member.role_changed': msg('changed {name} from {from} to {role}'),
  'invitation.sent': msg('invited {email} as {role}'),
  'invitation.withdrawn': msg('withdrew the invitation of {email}'),
  'grant.given': msg('gave {name} access to “{collection}”'),
  'grant.given to a group': msg('gave the group “{group}” access to “{collection}”'),
  'grant.removed': msg('revoked {name}’s access to “{collection}”'),
  'grant.removed to a group': msg('revoked access to “{collection}” for the group “{group}”'),
  'group.created': msg('created the group “{group}”'),
  'group.renamed': msg('renamed the group “{from}” to “{group}”'),
  'group.deleted': msg('deleted the group “{group}”'),
  'group.member_added': msg('added {people} to the group “{group}”'),
  'group.member_removed': msg('removed {people} from the group “{group}”'),
  'share.created': msg('created a link to “{title}”'),
  'share.revoked': msg('revoked a link to “{title}”'),
  'share.changed': msg('changed how long a link to “{title}” works'),
  'share.deleted': msg('deleted a link to “{title}”'),
  'share.opened': msg('opened a link to “{title}”'),
  'request.created': msg('requested files: “{request}”'),
  'request.closed': msg('closed the request for files “{request}”'),
  'request.replaced': msg('created another link for the request “{request}”'),
  'request.file_taken': msg('accepted “{title}” from the request “{request}”'),
  'key.created': msg('created the API key “{name}”'),
  'key.revoked': msg('revoked the API key “{name}”'),
  'library.created': msg('created the library “{name}”'),
  'library.renamed': msg('renamed the library from “{from}” to “{name}”'),
  'library.changed': msg('changed the settings of the library'),
  'library.locked': msg('required a second factor'),
  'library.unlocked': msg('no longer requires a second factor'),
  'library.exported': msg('exported the library'),
  'audit.exported': msg('exported the audit log'),
  'retention.set': msg('set the retention rule of the library'),
  'retention.set in a collection': msg('set the retention rule of “{collection}”'),
  'retention.ended': msg('ended the retention rule of the library'),
  'retention.ended in a collection': msg('ended the retention rule of “{collection}”'),
  'hold.placed': msg('placed a legal hold on “{title}”: {reason}'),
  'hold.lifted': msg('lifted the legal hold on “{title}”: {reason}'),
  'approval.required': msg('required approval for changes in “{collection}”'),
  'approval.ended': msg('no longer requires approval for changes in “{collection}”'),
  'collection.added': msg('added the collection “{name}”'),
  'collection.changed': msg('moved the collection “{name}”'),
  'collection.changed name': msg('renamed the collection “{from}” to “{name}”'),
  'collection.deleted': msg('deleted the collection “{name}”'),
  'tag.added': msg('added the tag “{name}”'),
  'tag.changed': msg('renamed the tag “{from}” to “{name}”'),
  'tag.deleted': msg('deleted the tag “{name}”'),
  'field.added': msg('added the field “{name}”'),
  'field.changed': msg('renamed the field “{from}” to “{name}”'),
  'field.deleted': msg('deleted the field “{name}”'),
  'template.added': msg('added the template “{name}”'),
  'template.changed': msg('renamed the template “{from}” to “{name}”'),
  'template.deleted': msg('deleted the template “{name}”'),
  'rule.added': msg('added the rule “{name}”'),
  'rule.changed': msg('changed the rule “{name}”'),
  'rule.changed name': msg('renamed the rule “{from}” to “{name}”'),
  'rule.deleted': msg('deleted the rule “{name}”'),
  'mail.address_added': msg('added the email address “{name}”'),
  'mail.address_changed': msg('changed the email address “{name}”'),
  'mail.address_replaced': msg('replaced the email address “{name}”'),
  'mail.address_deleted': msg('deleted the email address “{name}”'),
  'webhook.added': msg('added a webhook to “{host}”'),
  'webhook.changed': msg('changed the webhook to “{host}”'),
  'webhook.deleted': msg('deleted the webhook to “{host}”'),
  'webhook.turned_off': msg('turned off the webhook to “{host}”, which could not be reached'),
  'webhook.secret_replaced': msg('replaced the secret of the webhook to “{host}”'),
  'company.claimed': msg('claimed the domain “{domain}”'),
  'company.verified': msg('verified the domain “{domain}”'),
  'company.connected': msg('connected the identity provider of “{domain}”'),
  'company.disconnected': msg('disconnected the identity provider of “{domain}”, which belongs to another library'),
  'company.changed': msg('changed the sign-in of “{domain}”'),
  'company.removed': msg('removed the domain “{domain}”'),
}

/** What a variant of a sentence applies to. */
const VARIANTS: Readonly<Record<string, (subject: Subject) => boolean>> = {
  'by writers': ({ writers }) => writers !== undefined,
  'by a rule': ({ rule }) => rule !== undefined,
  // Old comment entries have no title.
  untitled: ({ title }) => title === undefined,
  'to a group': ({ group }) => group !== undefined,
  'in a collection': ({ collection }) => collection !== undefined,
  name: ({ from }) => from !== undefined,
}

/** Describes an entry, to follow the person's name. @param subject Names at that time, as recorded.
 *  @returns the verb itself if it's unknown. */
export function sentence(verb: string, subject: unknown): string {
  const given = subjectOf(subject)
  const variant = Object.entries(VARIANTS).find(([name, applies]) => `${verb} ${name}` in SENTENCES && applies(given))
  const text = SENTENCES[variant ? `${verb} ${variant[0]}` : verb]
  return text === undefined ? verb : t(text, valuesOf(verb, given))
}

const NAMES = ['title', 'name', 'email', 'collection', 'group', 'reason', 'request', 'rule', 'host', 'domain'] as const

function valuesOf(verb: string, subject: Subject): Record<string, string> {
  const { from = '…', role = '…', until, writers, changes = [] } = subject
  return {
    ...Object.fromEntries(NAMES.map((name) => [name, subject[name] ?? '…'])),
    from: verb === 'member.role_changed' ? called(from) : from,
    role: called(role),
    date: until === undefined ? '…' : formatDate(until),
    people: listed(subject),
    names: listed({ names: writers }),
    changes: changes.map(changeSentence).join(', '),
  }
}

/** Returns the API key used, if any. */
export const apiKeyOf = (subject: unknown): string | undefined => subjectOf(subject).api_key
export function approvedVersionOf(subject: unknown): number | undefined {
  const { writers, version } = subjectOf(subject)
  return writers && version
}

/** Formats names as a list with the number of omitted ones. */
function listed({ names = [], count = names.length }: Pick<Subject, 'names' | 'count'>): string {
  const others = count - names.length
  const all = others > 0 ? [...names, t('{count} more', { count: others })] : names
  return new Intl.ListFormat(formattingLocale(), { type: 'conjunction' }).format(all) || '…'
}

const called = (role: string): string => (isRole(role) ? roleLabel(role) : role)

/** Whether the sentence starts with its subject: a person who joins or leaves, or a rule. */
export const namesItsSubject = (verb: string, subject: unknown): boolean =>
  verb === 'member.joined' || verb === 'member.left' || subjectOf(subject).rule !== undefined
