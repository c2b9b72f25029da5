import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { LabelledCopy } from './labelled-copy.tsx'
import { verifyDomain } from './mutations.ts'
import type { SignInDomain } from './queries.ts'

/** The record that proves a domain, and the button that looks for it. */
export function VerifyStep({ library, domain }: { library: string; domain: SignInDomain }) {
  const check = useMutation(verifyDomain)
  return (
    <div className="grid gap-4">
      <p className="text-ink-soft text-sm leading-relaxed">
        {t(
          'Add this record to the DNS of the domain. It proves that your company decides about it; nothing changes for anybody before.',
        )}
      </p>
      <LabelledCopy label={t('Name of the TXT record')} value={`_carrel.${domain.domain}`} />
      <LabelledCopy label={t('Value')} value={`carrel-verification=${domain.token}`} />
      <FailureNotice error={check.error} />
      <Button
        look="primary"
        className="justify-self-start"
        busy={check.isPending}
        onClick={() => check.mutate({ library, domain: domain.id })}
      >
        {t('Check the record')}
      </Button>
    </div>
  )
}
