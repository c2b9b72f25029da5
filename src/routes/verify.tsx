import { createFileRoute, Link, redirect } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { AccountFrame } from '../features/account/account-frame.tsx'
import { MailedCodeForm } from '../features/account/mailed-code-form.tsx'
import { owesSecondFactor } from '../features/account/second-factor.ts'
import { SecondFactorForm } from '../features/account/second-factor-form.tsx'
import { msg, t } from '../lib/i18n.ts'
import { nextPath } from '../lib/next-path.ts'
import { usePageTitle } from '../lib/page-title.ts'

const optionalText = z.catch(z.optional(z.string()), undefined)

/** The step between a password or an address and a whole session: a mailed code, or a second factor. */
export const Route = createFileRoute('/verify')({
  validateSearch: z.object({
    email: optionalText,
    purpose: z.catch(z.optional(z.enum(['sign-up', 'sign-in', 'recovery'])), undefined),
    next: optionalText,
  }),
  beforeLoad: async ({ context, search }) => {
    const state = context.session.get()
    if (state.status === 'signed-out') {
      if (!search.email) throw redirect({ to: '/sign-in', search: { next: search.next } })
      return { factorId: undefined }
    }
    if (state.recovering) throw redirect({ to: '/reset-password' })
    const factor = state.session.user.factors?.find(({ status, factor_type }) => {
      return status === 'verified' && factor_type === 'totp'
    })
    if (!factor || !(await owesSecondFactor())) throw redirect({ href: nextPath(search.next) })
    return { factorId: factor.id }
  },
  component: Verify,
})

const LEAD = {
  'sign-up': msg('Open the link in it and you are in. Reading mail on another device? Type its code here.'),
  'sign-in': msg('If the address has an account, a mail with a link and a code is on its way.'),
  recovery: msg('If the address has an account, a mail is on its way. Open its link, or type its code here.'),
}

function Verify() {
  const { email, purpose = 'sign-in', next } = Route.useSearch()
  const { factorId } = Route.useRouteContext()
  usePageTitle(factorId ? t('Second factor') : t('Check your mail'))
  if (factorId) {
    return (
      <AccountFrame title={t('Your second factor')} lead={t('Enter the six digits that your authenticator shows now.')}>
        <SecondFactorForm factorId={factorId} />
      </AccountFrame>
    )
  }
  return (
    <AccountFrame
      title={t('Check your mail')}
      lead={
        <>
          {t('We wrote to {email}.', { email: email ?? '' })} {t(LEAD[purpose])}
        </>
      }
      footer={
        <Link to="/sign-in" search={{ next }} className="rounded font-medium text-accent-strong hover:underline">
          {t('Use another address')}
        </Link>
      }
    >
      <MailedCodeForm email={email ?? ''} purpose={purpose} next={next ?? '/'} />
    </AccountFrame>
  )
}
