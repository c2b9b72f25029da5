import type { TemplateText } from '../../kernel/mail-templates.ts'
import { compileTemplate } from '../templates/template.ts'

export const NOTIFICATIONS = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
] as const
export type Notification = (typeof NOTIFICATIONS)[number]

export type MailKind =
  | 'invite'
  | 'confirmation'
  | 'recovery'
  | 'magic_link'
  | 'email_change'
  | 'reauthentication'
  | Notification

const linkMail = (title: string, text: string, action: string): string => `<h2>${title}</h2>

<p>${text}</p>
<p><a href="{{ .ConfirmationURL }}">${action}</a></p>
<p>Or enter the code: {{ .Token }}</p>
`

const noteMail = (title: string, text: string): string => `<h2>${title}</h2>

<p>${text}</p>
<p>If this was not you, secure your account and tell whoever runs this site.</p>
`

/** Templates for mails without one in config.toml. The subjects are upstream's, because apps' tests look for them. */
export const DEFAULT_TEMPLATES: Record<MailKind, TemplateText> = {
  invite: {
    subject: "You've been invited",
    content: linkMail(
      'You have been invited',
      'Someone has invited you to make an account at {{ .SiteURL }}.',
      'Accept the invitation',
    ),
  },
  confirmation: {
    subject: 'Confirm your email address',
    content: linkMail(
      'Confirm your address',
      'One more step: tell us that this mailbox is yours.',
      'Confirm this address',
    ),
  },
  recovery: {
    subject: 'Reset your password',
    content: linkMail(
      'Choose a new password',
      'Someone asked to reset the password of this account. If it was not you, nothing changes.',
      'Reset the password',
    ),
  },
  magic_link: {
    subject: 'Your sign-in link',
    content: linkMail('Sign in', 'This link signs you in, once and for a short time.', 'Sign in'),
  },
  email_change: {
    subject: 'Confirm your new email address',
    content: linkMail(
      'Confirm the change of address',
      'The address of this account is to change from {{ .Email }} to {{ .NewEmail }}.',
      'Confirm the change',
    ),
  },
  reauthentication: {
    subject: '{{ .Token }} is your verification code',
    content: '<h2>Is it you?</h2>\n\n<p>Enter this code to continue: {{ .Token }}</p>\n',
  },
  password_changed: {
    subject: 'Your password was changed',
    content: noteMail('Password changed', 'The password of {{ .Email }} has just been changed.'),
  },
  email_changed: {
    subject: 'Your email address was changed',
    content: noteMail('Address changed', 'Your account moved from {{ .OldEmail }} to {{ .Email }}.'),
  },
  phone_changed: {
    subject: 'Your phone number was changed',
    content: noteMail(
      'Phone number changed',
      'The phone number of {{ .Email }} is now {{ .Phone }}, no longer {{ .OldPhone }}.',
    ),
  },
  identity_linked: {
    subject: 'A new sign-in method was linked to your account',
    content: noteMail('Sign-in method added', 'You can now sign in to {{ .Email }} with {{ .Provider }}.'),
  },
  identity_unlinked: {
    subject: 'A sign-in method was removed from your account',
    content: noteMail('Sign-in method removed', '{{ .Provider }} no longer signs in to {{ .Email }}.'),
  },
  mfa_factor_enrolled: {
    subject: 'A new verification method was added to your account',
    content: noteMail('Second factor added', 'A factor of the kind {{ .FactorType }} now protects {{ .Email }}.'),
  },
  mfa_factor_unenrolled: {
    subject: 'A verification method was removed from your account',
    content: noteMail(
      'Second factor removed',
      'A factor of the kind {{ .FactorType }} no longer protects {{ .Email }}.',
    ),
  },
}

type FillMail = (data: Readonly<Record<string, unknown>>) => { readonly subject: string; readonly html: string }

/** Compiles a template. @throws {TemplateError} for invalid text; the result throws it for an unusable value. */
export function compileMail({ subject, content }: TemplateText): FillMail {
  const [fillSubject, fillContent] = [compileTemplate(subject), compileTemplate(content)]
  return (data) => ({
    // A line break in the subject would start another header.
    subject: fillSubject(data).replace(/\s+/g, ' ').trim(),
    html: fillContent(data),
  })
}
