import { ServiceError } from '../../kernel/service-error.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { callHook, hookEnabled } from '../hooks/hooks.ts'
import type { Call } from '../http/call.ts'
import { presentUser, type User } from '../models/user.ts'
import { compileMail, type MailKind, type Notification } from './default-templates.ts'

export type LinkMail = {
  readonly kind: 'invite' | 'confirmation' | 'recovery' | 'magic_link'
  readonly code: string
  /** The stored hash with its flow's prefix, which is the link's token. */
  readonly hash: string
}

type ActionType = 'signup' | 'recovery' | 'invite' | 'magiclink' | 'email_change'

const ACTIONS: Record<LinkMail['kind'], ActionType> = {
  confirmation: 'signup',
  recovery: 'recovery',
  invite: 'invite',
  magic_link: 'magiclink',
}

const NAMES: Partial<Record<MailKind, string>> = { magic_link: 'magic link', email_change: 'email change' }

/** Sends a mail with a link and a code. Call it outside a transaction: it waits for the mail server.
 *  @throws `over_email_send_rate_limit`, `unexpected_failure` */
export async function sendLinkMail(deps: AuthDeps, call: Call, user: User, mail: LinkMail): Promise<void> {
  await deps.limits.takeMail()
  const type = ACTIONS[mail.kind]
  if (hookEnabled(deps.config, 'send_email')) {
    await sendByHook(deps, call, user, { token: mail.code, token_hash: mail.hash, email_action_type: type })
    return
  }
  await deliver(deps, mail.kind, user.email, {
    ConfirmationURL: actionLink(deps, type, mail.hash, call.redirectTo),
    Token: mail.code,
    TokenHash: mail.hash,
    RedirectTo: call.redirectTo,
    Email: user.email,
    Data: user.raw_user_meta_data,
  })
}

export type EmailChange = {
  readonly newCode: string
  readonly newHash: string
  readonly currentCode: string
  readonly currentHash: string
}

/** Sends the confirmation mails for an address change: to both addresses, or only the new one where that suffices. */
export async function sendEmailChangeMails(
  deps: AuthDeps,
  call: Call,
  { user, newEmail, change }: { readonly user: User; readonly newEmail: string; readonly change: EmailChange },
) {
  await deps.limits.takeMail()
  const both = change.currentHash !== ''
  if (hookEnabled(deps.config, 'send_email')) {
    // Upstream swaps the names, and hooks rely on it: `token_hash` belongs to `token_new`.
    await sendByHook(
      deps,
      call,
      { ...user, email_change: newEmail },
      {
        token: both ? change.currentCode : change.newCode,
        token_hash: change.newHash,
        token_new: both ? change.newCode : '',
        token_hash_new: change.currentHash,
        email_action_type: 'email_change',
      },
    )
    return
  }
  const send = (to: string, code: string, hash: string) =>
    deliver(deps, 'email_change', to, {
      ConfirmationURL: actionLink(deps, 'email_change', hash, call.redirectTo),
      Token: code,
      TokenHash: hash,
      RedirectTo: call.redirectTo,
      Email: user.email,
      NewEmail: newEmail,
      SendingTo: to,
      Data: user.raw_user_meta_data,
    })
  await Promise.all([
    send(newEmail, change.newCode, change.newHash),
    ...(both ? [send(user.email, change.currentCode, change.currentHash)] : []),
  ])
}

export async function sendReauthenticationMail(
  deps: AuthDeps,
  call: Call,
  { user, code, hash }: { readonly user: User; readonly code: string; readonly hash: string },
) {
  await deps.limits.takeMail()
  if (hookEnabled(deps.config, 'send_email')) {
    await sendByHook(deps, call, user, { token: code, token_hash: hash, email_action_type: 'reauthentication' })
    return
  }
  await deliver(deps, 'reauthentication', user.email, { Token: code, Email: user.email, Data: user.raw_user_meta_data })
}

/** Notifies a user of an account change, if config.toml enables it. The change is done, so failures are only logged. */
export async function notify(
  deps: AuthDeps,
  call: Call,
  {
    kind,
    to,
    user,
    details = {},
  }: {
    readonly kind: Notification
    readonly to: string
    readonly user: User
    readonly details?: { OldEmail?: string; OldPhone?: string; Provider?: string; FactorType?: string }
  },
): Promise<void> {
  if (!deps.templates.own(kind).isEnabled || to === '') return
  try {
    await deps.limits.takeMail()
    if (hookEnabled(deps.config, 'send_email')) {
      await sendByHook(deps, call, user, {
        email_action_type: `${kind}_notification`,
        old_email: details.OldEmail ?? '',
        old_phone: details.OldPhone ?? '',
        provider: details.Provider ?? '',
        factor_type: details.FactorType ?? '',
      })
      return
    }
    await deliver(deps, kind, to, { Email: user.email, Phone: user.phone, Data: user.raw_user_meta_data, ...details })
  } catch (error) {
    deps.log.warn(`auth: the mail "${kind}" could not be sent`, { requestId: call.requestId, reason: String(error) })
  }
}

/** Returns the URL of a mail's link. */
export function actionLink(
  deps: Pick<AuthDeps, 'externalUrl'>,
  type: ActionType,
  hash: string,
  redirectTo: string,
): string {
  // As upstream, addresses that need no encoding stay readable.
  const target = /[&=#]/.test(redirectTo) ? encodeURIComponent(redirectTo) : redirectTo
  return `${deps.externalUrl}/verify?token=${encodeURIComponent(hash)}&type=${type}&redirect_to=${target}`
}

/** Sends a mail rendered from its template. @throws {ServiceError} */
export async function deliver(
  deps: AuthDeps,
  kind: MailKind,
  to: string,
  fields: Record<string, unknown>,
): Promise<void> {
  try {
    const mail = compileMail(deps.templates.current(kind))({ SiteURL: deps.config.site_url, ...fields })
    await deps.mailer.send({ from: senderOf(deps.config), to, ...mail })
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw authError('mailFailed', [NAMES[kind] ?? kind], { cause: error })
  }
}

/** Defaults to `supabase start`'s address without an SMTP server. */
function senderOf({ email: { smtp } }: AuthConfig): string {
  const address = smtp?.admin_email || 'admin@email.com'
  return `${JSON.stringify(smtp?.sender_name || 'Admin')} <${address}>`
}

function sendByHook(deps: AuthDeps, call: Call, user: User, fields: Record<string, string>) {
  const email_data = {
    token: '',
    token_hash: '',
    redirect_to: call.redirectTo,
    site_url: deps.externalUrl,
    token_new: '',
    token_hash_new: '',
    old_email: '',
    old_phone: '',
    provider: '',
    factor_type: '',
    ...fields,
  }
  return callHook(deps, call, 'send_email', { user: presentUser(user), email_data })
}
