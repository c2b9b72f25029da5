import { useMutation, useQuery } from '@tanstack/react-query'
import { Smartphone } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { confirmTotp, enrolTotp, removeFactor } from './mutations.ts'
import { factorsQuery } from './queries.ts'

export function Factors() {
  const { data: factors, error: failure } = useQuery(factorsQuery)
  const removal = useMutation(removeFactor)
  const verified = factors?.filter(({ status }) => status === 'verified') ?? []
  const error = failure ?? removal.error

  return (
    <div className="grid gap-4">
      {error ? <Notice tone="error">{describeAuthError(error)}</Notice> : null}
      {factors === undefined && !failure ? <Skeleton className="h-14" /> : null}
      {verified.length > 0 ? (
        <ul className="grid gap-2">
          {verified.map(({ id, friendly_name, created_at }) => (
            <li
              key={id}
              className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
            >
              <Smartphone aria-hidden className="size-4 text-accent" />
              <span dir="auto" className="font-medium">
                {friendly_name ?? t('Authenticator')}
              </span>
              <Badge tone="accent">{t('active')}</Badge>
              <span className="text-ink-faint">{t('since {date}', { date: formatDate(created_at) })}</span>
              <Button
                look="danger"
                size="small"
                className="ms-auto"
                busy={removal.isPending}
                onClick={() => removal.mutate(id)}
              >
                {t('Remove')}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      {verified.length === 1 ? (
        <Notice tone="info" title={t('Keep a backup')}>
          {t(
            'Add another authenticator on a second device, so that losing your phone doesn’t lock you out. Without an authenticator or a key you wrote down, only the server’s administrator can let you back in.',
          )}
        </Notice>
      ) : null}
      {factors ? <Enrolment taken={verified.length} /> : null}
    </div>
  )
}

function Enrolment({ taken }: { taken: number }) {
  const [code, setCode] = useState('')
  const enrolment = useMutation(enrolTotp)
  const confirmation = useMutation({
    ...confirmTotp,
    onError: () => setCode(''),
    onSuccess: () => {
      setCode('')
      enrolment.reset()
    },
  })
  const error = enrolment.error ?? confirmation.error
  const offered = enrolment.data
  if (!offered) {
    return (
      <div className="grid gap-3">
        {error ? <Notice tone="error">{describeAuthError(error)}</Notice> : null}
        {taken === 0 ? (
          <p className="text-ink-soft text-sm leading-relaxed">
            {t('With a second factor, a stolen password isn’t enough. Some libraries require one.')}
          </p>
        ) : null}
        <Button
          className="justify-self-start"
          busy={enrolment.isPending}
          onClick={() =>
            enrolment.mutate(
              t('Authenticator added {date}', { date: new Date().toISOString().slice(0, 16).replace('T', ' ') }),
            )
          }
        >
          {taken === 0 ? t('Add an authenticator') : t('Add another authenticator')}
        </Button>
      </div>
    )
  }
  const submit = () => confirmation.mutate({ factorId: offered.id, code })
  return (
    <Form
      onSubmit={submit}
      className="grid gap-5 rounded-lg border border-line bg-surface p-5 sm:grid-cols-[11rem_1fr]"
    >
      <img src={offered.picture} alt={t('QR code for your authenticator')} className="size-44 rounded bg-white p-2" />
      <div className="grid content-start gap-4">
        {error ? <Notice tone="error">{describeAuthError(error)}</Notice> : null}
        <p className="text-ink-soft text-sm leading-relaxed">
          {t('Scan this with an authenticator app, or type its key:')}
          <code className="mt-1 block select-all text-ink text-xs [overflow-wrap:anywhere]">{offered.secret}</code>
        </p>
        <p className="text-ink-soft text-sm leading-relaxed">
          {t(
            'Write the key down and keep it private. You see it only this once, and it sets up another device if you lose this one.',
          )}
        </p>
        <CodeField label={t('Code it shows')} value={code} onValue={setCode} />
        <div className="flex gap-2">
          <Button type="submit" look="primary" busy={confirmation.isPending}>
            {t('Turn it on')}
          </Button>
          <Button look="quiet" onClick={() => enrolment.reset()}>
            {t('Cancel')}
          </Button>
        </div>
      </div>
    </Form>
  )
}
