import type { MailTemplates } from '../../kernel/mail-templates.ts'
import { ServiceError } from '../../kernel/service-error.ts'
import type { AuthDeps } from '../deps.ts'
import { hookEnabled } from '../hooks/hooks.ts'
import { TemplateError } from '../templates/expression.ts'
import { compileMail, DEFAULT_TEMPLATES, type MailKind } from './default-templates.ts'
import { actionLink, deliver } from './messages.ts'
import { isNotification } from './template-store.ts'

/** Shows, tests and changes mail templates.
 *  @see https://supabase.com/docs/guides/auth/auth-email-templates for the fields */
export function createMailTemplates(deps: AuthDeps): MailTemplates {
  const { templates } = deps
  return {
    isHooked: hookEnabled(deps.config, 'send_email'),
    list: () =>
      KINDS.map((kind) => ({
        kind,
        section: isNotification(kind) ? 'notification' : 'template',
        own: templates.own(kind),
        current: templates.current(kind),
        fields: sampleFields(deps, kind),
      })),
    render(name, text) {
      const kind = kindOf(name)
      try {
        return compileMail(text)(sampleFields(deps, kind))
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error
        throw new ServiceError('template_invalid', 422, `The template cannot be used: ${error.message}.`)
      }
    },
    async sendSample(name, to) {
      const kind = kindOf(name)
      await deliver(deps, kind, to, sampleFields(deps, kind))
    },
    set: (name, own) => templates.set(kindOf(name), own),
  }
}

const KINDS = Object.keys(DEFAULT_TEMPLATES) as MailKind[]

function kindOf(name: string): MailKind {
  const kind = KINDS.find((one) => one === name)
  if (kind === undefined) throw new ServiceError('not_found', 404, `Auth sends no mail "${name}"`)
  return kind
}

const ACTIONS = {
  confirmation: 'signup',
  recovery: 'recovery',
  invite: 'invite',
  magic_link: 'magiclink',
  email_change: 'email_change',
} as const

function sampleFields(deps: AuthDeps, kind: MailKind): Record<string, unknown> {
  const { site_url: SiteURL } = deps.config
  const person = { SiteURL, Email: 'ada@example.com', Data: { name: 'Ada' } }
  if (isNotification(kind)) return { ...person, Phone: '4915112345678', ...DETAILS[kind] }
  const Token = '123456'
  if (kind === 'reauthentication') return { ...person, Token }
  return {
    ...person,
    ConfirmationURL: actionLink(deps, ACTIONS[kind], TOKEN_HASH, SiteURL),
    Token,
    TokenHash: TOKEN_HASH,
    RedirectTo: SiteURL,
    ...(kind === 'email_change' ? { NewEmail: 'ada@new.example.com', SendingTo: 'ada@new.example.com' } : {}),
  }
}

const TOKEN_HASH = '5f2d8c1e7a3b49d06e1c2f8b7a9d4e3c5b6a7f8091a2b3c4d5e6f708'

const DETAILS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  email_changed: { OldEmail: 'ada@old.example.com' },
  phone_changed: { OldPhone: '4915187654321' },
  identity_linked: { Provider: 'github' },
  identity_unlinked: { Provider: 'github' },
  mfa_factor_enrolled: { FactorType: 'totp' },
  mfa_factor_unenrolled: { FactorType: 'totp' },
}
