import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { describeCompanyError, signInWithCompany } from './sign-in-with-company.ts'

type CompanyNoticeProps = {
  company: string
  domain: string
  /** How many libraries wait for it. */
  count: number
  /** Where to go on after signing in. */
  next: string
  className?: string
}

/** Says that libraries ask for a session of the person's company, and opens the company's page. */
export function CompanyNotice({ company, domain, count, next, className }: CompanyNoticeProps) {
  const signIn = useMutation(signInWithCompany)
  return (
    <div className={className}>
      <Notice tone="info">
        <p>
          {t(
            '{count, plural, one {A library of yours asks you to sign in with {company}.} other {# libraries of yours ask you to sign in with {company}.}}',
            { count, company },
          )}{' '}
          {t('You then have an account of the company, with the same role.')}
        </p>
        {signIn.error ? (
          <p role="alert" className="mt-1 text-danger">
            {describeCompanyError(signIn.error, domain)}
          </p>
        ) : null}
        <Button size="small" className="mt-2" busy={signIn.isPending} onClick={() => signIn.mutate({ domain, next })}>
          {t('Sign in with {company}', { company })}
        </Button>
      </Notice>
    </div>
  )
}
