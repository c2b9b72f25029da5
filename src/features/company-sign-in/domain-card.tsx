import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { DomainSettings } from './domain-settings.tsx'
import { LabelledCopy } from './labelled-copy.tsx'
import { removeDomain, verifyDomain } from './mutations.ts'
import { ProviderForm } from './provider-form.tsx'
import type { ServiceProvider, SignInDomain } from './queries.ts'

type DomainCardProps = {
  library: string
  domain: SignInDomain
  others: readonly SignInDomain[]
  service: ServiceProvider | null | undefined
}

export function DomainCard({ library, domain, others, service }: DomainCardProps) {
  const [isChanging, setIsChanging] = useState(false)
  const [isRemoving, setIsRemoving] = useState(false)
  const isConnected = domain.provider_id !== null
  return (
    <article
      aria-label={domain.domain}
      className="grid grid-cols-1 gap-5 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 dir="ltr" className="font-semibold font-serif text-lg [overflow-wrap:anywhere]">
          {domain.domain}
        </h2>
        <State domain={domain} isUsable={service !== null} />
        <Button size="small" look="danger" className="ms-auto" onClick={() => setIsRemoving(true)}>
          {t('Remove…')}
        </Button>
      </div>
      {domain.verified_at === null ? (
        <VerifyStep library={library} domain={domain} />
      ) : !isConnected || isChanging ? (
        <ProviderForm
          library={library}
          domain={domain}
          others={isConnected ? [] : others.filter(({ provider_id }) => provider_id !== null)}
          service={service}
          onDone={() => setIsChanging(false)}
        />
      ) : (
        <>
          <dl className="grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
            <dt className="text-ink-faint">{t('Identity provider')}</dt>
            <dd className="[overflow-wrap:anywhere]">
              <bdi dir="ltr">{domain.entity_id}</bdi>
            </dd>
            <dt className="text-ink-faint">{t('Its metadata')}</dt>
            <dd className="flex flex-wrap items-center gap-x-3 gap-y-1 [overflow-wrap:anywhere]">
              <bdi>{domain.metadata_url ?? t('from a file')}</bdi>
              <button
                type="button"
                className="rounded text-accent-strong underline underline-offset-4"
                onClick={() => setIsChanging(true)}
              >
                {t('Replace')}
              </button>
            </dd>
          </dl>
          <DomainSettings library={library} domain={domain} isUsable={service !== null} />
        </>
      )}
      {isRemoving ? <Removal library={library} domain={domain} onClose={() => setIsRemoving(false)} /> : null}
    </article>
  )
}

function State({ domain, isUsable }: { domain: SignInDomain; isUsable: boolean }) {
  if (domain.verified_at === null) return <Badge tone="amber">{t('Not verified')}</Badge>
  if (domain.provider_id === null) return <Badge tone="amber">{t('Verified, not set up')}</Badge>
  if (!isUsable) return <Badge tone="amber">{t('Waiting for SAML')}</Badge>
  return <Badge tone="accent">{domain.is_required ? t('Required') : t('In use')}</Badge>
}

function Removal({ library, domain, onClose }: Pick<DomainCardProps, 'library' | 'domain'> & { onClose: () => void }) {
  const removal = useMutation({ ...removeDomain, onSuccess: onClose })
  return (
    <ConfirmDialog
      title={t('Remove {domain}?', { domain: domain.domain })}
      action={t('Remove')}
      busy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate({ library, domain: domain.id })}
      onClose={onClose}
    >
      {domain.provider_id
        ? t(
            'No one can sign in with this company any longer. People without another account can’t get in: invite them again, so they create one.',
          )
        : t('To set it up again, you’ll have to verify the domain again.')}
    </ConfirmDialog>
  )
}

function VerifyStep({ library, domain }: { library: string; domain: SignInDomain }) {
  const check = useMutation(verifyDomain)
  return (
    <div className="grid gap-4">
      <p className="text-ink-soft text-sm leading-relaxed">
        {t(
          'Add this record to the domain’s DNS to prove that your company owns it. Nothing changes for anyone until you do.',
        )}
      </p>
      <LabelledCopy label={t('TXT record name')} value={`_carrel.${domain.domain}`} />
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
