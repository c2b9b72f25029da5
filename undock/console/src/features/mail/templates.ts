import { queryOptions } from '@tanstack/react-query'
import type { FileChange, ShownTemplate, ShownTemplates } from '../../../../src/console/mail-templates.ts'
import { api } from '../../lib/api.ts'

export type { FileChange, ShownTemplate }

/** The editable parts of a template. @property isEnabled Whether a notification is sent; other mails always are. */
export type Draft = { readonly subject: string; readonly content: string; readonly isEnabled: boolean }

export const draftOf = ({ current, isEnabled }: ShownTemplate): Draft => ({ ...current, isEnabled })

export const isSame = (one: Draft, other: Draft): boolean =>
  one.subject === other.subject && one.content === other.content && one.isEnabled === other.isEnabled

export const templatesQuery = queryOptions({
  queryKey: ['mail templates'],
  queryFn: ({ signal }) => api<ShownTemplates>('/mail-templates', { signal }),
})

/** A template with sample values: its subject, and the name of its preview page. */
export const previewQuery = (kind: string, { subject, content }: Draft) =>
  queryOptions({
    queryKey: ['mail template preview', kind, subject, content],
    // The server keeps only the last pages.
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) =>
      api<{ subject: string; page: string }>('/mail-templates/preview', {
        method: 'POST',
        body: { kind, subject, content },
        signal,
      }),
  })

/** The URL of a preview that loads and runs nothing. */
export const previewUrl = (page: string): string => `/api/mail-templates/view/${page}`

/** The files that saving would change. */
export const changesQuery = (kind: string, draft: Draft) =>
  queryOptions({
    queryKey: ['mail template changes', kind, draft],
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) =>
      api<readonly FileChange[]>('/mail-templates/changes', { method: 'POST', body: { kind, ...draft }, signal }),
  })

export const writeTemplate = (kind: string, draft: Draft): Promise<readonly FileChange[]> =>
  api('/mail-templates', { method: 'PUT', body: { kind, ...draft } })

export const sendSample = (kind: string, to: string): Promise<unknown> =>
  api('/mail-templates/sample', { method: 'POST', body: { kind, to } })

/** The names in Studio. */
export const TEMPLATE_NAMES: Readonly<Record<string, string>> = {
  confirmation: 'Confirm sign up',
  invite: 'Invite user',
  magic_link: 'Magic link',
  recovery: 'Reset password',
  email_change: 'Change email address',
  reauthentication: 'Reauthentication',
  password_changed: 'Password changed',
  email_changed: 'Email address changed',
  phone_changed: 'Phone number changed',
  identity_linked: 'Identity linked',
  identity_unlinked: 'Identity unlinked',
  mfa_factor_enrolled: 'MFA method added',
  mfa_factor_unenrolled: 'MFA method removed',
}
