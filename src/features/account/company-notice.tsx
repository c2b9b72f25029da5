import { useMutation } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { describeCompanyError, signInWithCompany } from './sign-in-with-company.ts'

type Asking = {
  company: string
  domain: string
  next: string
}

/** Says that libraries require company sign-in. @param count The number of libraries. */
export function CompanyNotice({ count, className, ...asking }: Asking & { count: number; className?: string }) {
  return (
    <div className={className}>
      <Notice tone="info">
        <p className="mb-2">
          {t(
            '{count, plural, one {One of your libraries asks you to sign in with {company}.} other {# of your libraries ask you to sign in with {company}.}}',
            { count, company: asking.company },
          )}{' '}
          {t('You then have a company account with the same role.')}
        </p>
        <CompanyButton {...asking} className="justify-items-start" />
      </Notice>
    </div>
  )
}

/** Shown instead of a library that requires company sign-in. */
export function CompanyGate(asking: Asking) {
  return (
    <EmptyState
      icon={Building2}
      level={1}
      title={t('This library asks you to sign in with {company}', { company: asking.company })}
      action={<CompanyButton {...asking} className="justify-items-center" />}
    >
      {t('You then have a company account with the same role.')}
    </EmptyState>
  )
}

function CompanyButton({ company, domain, next, className }: Asking & { className: string }) {
  const signIn = useMutation(signInWithCompany)
  return (
    <div className={classNames('grid gap-2', className)}>
      <Button look="primary" busy={signIn.isPending} onClick={() => signIn.mutate({ domain, next })}>
        {t('Sign in with {company}', { company })}
      </Button>
      {signIn.error ? (
        <p role="alert" className="text-danger text-sm">
          {describeCompanyError(signIn.error, domain)}
        </p>
      ) : null}
    </div>
  )
}
