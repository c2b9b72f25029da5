import * as z from 'zod/mini'
import { t } from '../lib/i18n/i18n.ts'
import { lenient } from '../lib/lenient.ts'
import { sentence } from './activity-sentence.ts'

const Details = z.object({
  name: lenient(z.string()),
  from: lenient(z.string()),
  title: lenient(z.string()),
  request: lenient(z.string()),
  host: lenient(z.string()),
  domain: lenient(z.string()),
  collection: lenient(z.string()),
})

/** Describes any log entry, to follow the person's name. @returns the kind itself if unknown. */
export function auditSentence(kind: string, details: unknown): string {
  const parsed = Details.safeParse(details)
  const {
    name = '…',
    from = '…',
    title = '…',
    request = '…',
    host = '…',
    domain = '…',
    collection = '…',
  } = parsed.data ?? {}
  const isRenamed = parsed.data?.from !== undefined
  switch (kind) {
    case 'collection.added':
      return t('added the collection “{name}”', { name })
    case 'collection.changed':
      return isRenamed
        ? t('renamed the collection “{from}” to “{name}”', { from, name })
        : t('moved the collection “{name}”', { name })
    case 'collection.deleted':
      return t('deleted the collection “{name}”', { name })
    case 'tag.added':
      return t('added the tag “{name}”', { name })
    case 'tag.changed':
      return t('renamed the tag “{from}” to “{name}”', { from, name })
    case 'tag.deleted':
      return t('deleted the tag “{name}”', { name })
    case 'field.added':
      return t('added the field “{name}”', { name })
    case 'field.changed':
      return t('renamed the field “{from}” to “{name}”', { from, name })
    case 'field.deleted':
      return t('deleted the field “{name}”', { name })
    case 'template.added':
      return t('added the template “{name}”', { name })
    case 'template.changed':
      return t('renamed the template “{from}” to “{name}”', { from, name })
    case 'template.deleted':
      return t('deleted the template “{name}”', { name })
    case 'rule.added':
      return t('added the rule “{name}”', { name })
    case 'rule.changed':
      return isRenamed
        ? t('renamed the rule “{from}” to “{name}”', { from, name })
        : t('changed the rule “{name}”', { name })
    case 'rule.deleted':
      return t('deleted the rule “{name}”', { name })
    case 'mail.address_added':
      return t('added the email address “{name}”', { name })
    case 'mail.address_changed':
      return t('changed the email address “{name}”', { name })
    case 'mail.address_replaced':
      return t('replaced the email address “{name}”', { name })
    case 'mail.address_deleted':
      return t('deleted the email address “{name}”', { name })
    case 'webhook.added':
      return t('added a webhook to “{host}”', { host })
    case 'webhook.changed':
      return t('changed the webhook to “{host}”', { host })
    case 'webhook.deleted':
      return t('deleted the webhook to “{host}”', { host })
    case 'webhook.turned_off':
      return t('turned off the webhook to “{host}”, which could not be reached', { host })
    case 'webhook.secret_replaced':
      return t('replaced the secret of the webhook to “{host}”', { host })
    case 'company.claimed':
      return t('claimed the domain “{domain}”', { domain })
    case 'company.verified':
      return t('verified the domain “{domain}”', { domain })
    case 'company.connected':
      return t('connected the identity provider of “{domain}”', { domain })
    case 'company.disconnected':
      return t('disconnected the identity provider of “{domain}”, which belongs to another library', { domain })
    case 'company.changed':
      return t('changed the sign-in of “{domain}”', { domain })
    case 'company.removed':
      return t('removed the domain “{domain}”', { domain })
    case 'request.replaced':
      return t('created another link for the request “{request}”', { request })
    case 'approval.required':
      return t('required approval for changes in “{collection}”', { collection })
    case 'approval.ended':
      return t('no longer requires approval for changes in “{collection}”', { collection })
    case 'share.changed':
      return t('changed how long a link to “{title}” works', { title })
    case 'share.deleted':
      return t('deleted a link to “{title}”', { title })
    case 'share.opened':
      return t('opened a link to “{title}”', { title })
    case 'library.created':
      return t('created the library “{name}”', { name })
    case 'library.changed':
      return t('changed the settings of the library')
    case 'library.exported':
      return t('exported the library')
    case 'audit.exported':
      return t('exported the audit log')
    default:
      return sentence(kind, details)
  }
}
