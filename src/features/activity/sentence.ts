import * as z from 'zod/mini'
import { isRole, roleLabel } from '../../domain/roles.ts'
import { deedSentence, RuleDeed } from '../../domain/rule-deeds.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { lenient } from '../../lib/lenient.ts'

const Subject = z.object({
  title: lenient(z.string()),
  from: lenient(z.string()),
  name: lenient(z.string()),
  email: lenient(z.string()),
  role: lenient(z.string()),
  collection: lenient(z.string()),
  rule: lenient(z.string()),
  deeds: lenient(z.array(RuleDeed)),
})

/** What somebody did, as the rest of a sentence that begins with their name.
 *  @param subject Names as they were at that time, as the database recorded them. */
export function sentence(verb: string, subject: unknown): string {
  const parsed = Subject.safeParse(subject)
  const {
    title = '…',
    from = '…',
    name = '…',
    email = '…',
    role = '…',
    collection = '…',
    rule = '…',
    deeds = [],
  } = parsed.data ?? {}
  switch (verb) {
    case 'document.added':
      return t('added “{title}”', { title })
    case 'document.renamed':
      return t('renamed “{from}” to “{title}”', { from, title })
    case 'document.moved':
      return t('moved “{title}”', { title })
    case 'document.trashed':
      return t('put “{title}” in the trash', { title })
    case 'document.restored':
      return t('took “{title}” out of the trash', { title })
    case 'document.revised':
      return t('made a new version of “{title}”', { title })
    case 'document.ran_rule':
      return t('Rule “{rule}” on “{title}”: {deeds}', { rule, title, deeds: deeds.map(deedSentence).join(', ') })
    case 'document.deleted':
      return t('deleted “{title}” for good', { title })
    case 'comment.added':
      return t('commented')
    case 'comment.resolved':
      return t('resolved a comment')
    case 'member.joined':
      return t('{name} joined as {role}', { name, role: called(role) })
    case 'member.left':
      return t('{name} left', { name })
    case 'member.removed':
      return t('removed {name}', { name })
    case 'member.role_changed':
      return t('made {name} {role}, who was {from}', { name, role: called(role), from: called(from) })
    case 'invitation.sent':
      return t('invited {email} as {role}', { email, role: called(role) })
    case 'invitation.withdrawn':
      return t('withdrew the invitation of {email}', { email })
    case 'grant.given':
      return t('opened “{collection}” to {name}', { collection, name })
    case 'grant.removed':
      return t('closed “{collection}” to {name}', { collection, name })
    case 'share.created':
      return t('made a link to “{title}”', { title })
    case 'share.revoked':
      return t('revoked a link to “{title}”', { title })
    case 'library.renamed':
      return t('renamed the library from “{from}” to “{name}”', { from, name })
    case 'library.locked':
      return t('required a second factor')
    case 'library.unlocked':
      return t('no longer requires a second factor')
    default:
      return verb
  }
}

const called = (role: string): string => (isRole(role) ? roleLabel(role) : role)

/** Verbs whose sentence names who or what did it. */
export const namesItsSubject = (verb: string): boolean =>
  verb === 'member.joined' || verb === 'member.left' || verb === 'document.ran_rule'
