import { createFileRoute, Link, redirect } from '@tanstack/react-router'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { AccountFrame } from '../features/account/account-frame.tsx'
import { type CallbackOutcome, CallbackSearch, finishCallback } from '../features/account/callback.ts'
import { t } from '../lib/i18n/i18n.ts'
import { usePageTitle } from '../lib/ui/page-title.ts'

/** The page that mailed links and sign-in providers return to. */
export const Route = createFileRoute('/auth/callback')({
  validateSearch: CallbackSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps, location }) => {
    const outcome = await finishOnce(location.href, () => finishCallback(deps, location.hash))
    if ('goTo' in outcome) throw redirect({ href: outcome.goTo, replace: true })
    return outcome
  },
  staleTime: Number.POSITIVE_INFINITY,
  component: Callback,
})

const finished = new Map<string, Promise<CallbackOutcome>>()

/** A code works once, but this loader runs twice: it signs in, which makes every guard run again. */
function finishOnce(address: string, finish: () => Promise<CallbackOutcome>): Promise<CallbackOutcome> {
  const outcome = finished.get(address) ?? finish()
  finished.set(address, outcome)
  return outcome
}

function Callback() {
  const outcome = Route.useLoaderData()
  usePageTitle(t('Signing in'))
  const failed = 'problem' in outcome
  return (
    <AccountFrame title={failed ? t('This link did not work') : t('One more step')}>
      <Notice tone={failed ? 'error' : 'info'}>{failed ? outcome.problem : outcome.said}</Notice>
      <div className="mt-6 grid gap-3">
        <Button asChild look="primary">
          <Link to="/sign-in">{t('Ask for a new link')}</Link>
        </Button>
        <Button asChild look="quiet">
          <Link to="/recover">{t('I have forgotten my password')}</Link>
        </Button>
      </div>
    </AccountFrame>
  )
}
