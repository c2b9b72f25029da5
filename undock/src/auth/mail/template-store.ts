import { readFileSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import type { OwnTemplate, TemplateText } from '../../kernel/mail-templates.ts'
import { DEFAULT_TEMPLATES, type MailKind, NOTIFICATIONS, type Notification } from './default-templates.ts'

/** The templates of the next mails. Files named in config.toml or by `set` are read for each mail. */
export type TemplateStore = {
  own(kind: MailKind): OwnTemplate
  current(kind: MailKind): TemplateText
  set(kind: MailKind, own: OwnTemplate): void
}

export function createTemplateStore({ email }: Config['auth']): TemplateStore {
  const changed = new Map<MailKind, OwnTemplate>()
  const own = (kind: MailKind): OwnTemplate => changed.get(kind) ?? configured(email, kind)
  return {
    own,
    current(kind) {
      const { subject, contentPath } = own(kind)
      const standard = DEFAULT_TEMPLATES[kind]
      const content = (contentPath === null ? null : readText(contentPath)) ?? configuredContent(email, kind)
      return { subject: subject || standard.subject, content: content || standard.content }
    },
    set: (kind, next) => void changed.set(kind, next),
  }
}

export const isNotification = (kind: MailKind): kind is Notification =>
  (NOTIFICATIONS as readonly string[]).includes(kind)

/** Upstream accepts either table's section for each mail. */
const sectionOf = (email: Config['auth']['email'], kind: MailKind) => email.template[kind] ?? email.notification[kind]

function configured(email: Config['auth']['email'], kind: MailKind): OwnTemplate {
  const section = sectionOf(email, kind)
  return {
    subject: section?.subject || null,
    contentPath: section?.content_path || null,
    isEnabled: isNotification(kind) ? (email.notification[kind]?.enabled ?? false) : true,
  }
}

const configuredContent = (email: Config['auth']['email'], kind: MailKind): string | null =>
  sectionOf(email, kind)?.content ?? null

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
