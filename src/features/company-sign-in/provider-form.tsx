import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Input } from '../../components/input.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { LabelledCopy } from './labelled-copy.tsx'
import { connectDomain, type Metadata } from './mutations.ts'
import type { ServiceProvider, SignInDomain } from './queries.ts'

type ProviderFormProps = {
  library: string
  domain: SignInDomain
  others: readonly SignInDomain[]
  /** Null if SAML isn't available. */
  service: ServiceProvider | null | undefined
  onDone?: () => void
}

/** The backend's limit. */
const MAX_FILE_BYTES = 500_000

/** Both sides of a connection: our data for the identity provider, and its metadata. */
export function ProviderForm({ library, domain, others, service, onDone }: ProviderFormProps) {
  const [source, setSource] = useState('url')
  const [url, setUrl] = useState('')
  const [file, setFile] = useState<File>()
  const [fault, setFault] = useState<string>()
  const connection = useMutation({ ...connectDomain, onSuccess: () => onDone?.() })
  const sources = [
    { value: 'url', label: t('An address') },
    { value: 'file', label: t('A file') },
    ...others.map(({ id, domain: name }) => ({ value: id, label: t('Same as {domain}', { domain: name }) })),
  ]
  const metadata = async (): Promise<Metadata | string> => {
    if (source === 'url')
      return /^https:\/\/\S+$/.test(url.trim()) ? { url: url.trim() } : t('Enter an address that starts with https://.')
    if (source !== 'file') return { same_as: source }
    if (!file) return t('Choose the file first.')
    if (file.size > MAX_FILE_BYTES) return t('This file is too large for an identity provider’s metadata.')
    return { xml: await file.text() }
  }
  const submit = async () => {
    const given = await metadata()
    setFault(typeof given === 'string' ? given : undefined)
    if (typeof given !== 'string') connection.mutate({ library, domain: domain.id, metadata: given })
  }
  return (
    <Form noValidate onSubmit={() => void submit()}>
      {service ? (
        <div className="grid gap-4">
          <p className="text-ink-soft text-sm leading-relaxed">
            {t(
              'Create a SAML application in your identity provider with these two values. It has to send each person’s email address, and can send their name as displayName.',
            )}
          </p>
          <LabelledCopy label={t('Entity ID (identifier, audience)')} value={service.entityId} />
          <LabelledCopy label={t('Reply address (ACS URL)')} value={service.acs} />
          <a
            href={service.metadataUrl}
            target="_blank"
            rel="noreferrer"
            className="justify-self-start rounded text-accent-strong text-sm underline underline-offset-4"
          >
            {t('Both as metadata (XML)')}
          </a>
        </div>
      ) : service === undefined ? (
        <Skeleton className="h-40" />
      ) : null}
      <FailureNotice error={connection.error} />
      <div className="grid items-start gap-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <SelectField
          label={t('Its metadata')}
          value={source}
          onValue={(chosen) => {
            setSource(chosen)
            setFault(undefined)
          }}
          options={sources}
        />
        {source === 'url' ? (
          <TextField
            label={t('Metadata address')}
            error={fault}
            type="url"
            dir="ltr"
            maxLength={2048}
            placeholder="https://idp.example.org/metadata"
            value={url}
            onValue={setUrl}
          />
        ) : source === 'file' ? (
          <Field label={t('File with the metadata (XML)')} error={fault}>
            {(control) => (
              <Input
                {...control}
                type="file"
                accept=".xml,text/xml,application/xml,application/samlmetadata+xml"
                className="py-2 text-sm file:me-3 file:font-medium"
                onChange={({ target }) => setFile(target.files?.[0])}
              />
            )}
          </Field>
        ) : null}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={connection.isPending}>
          {domain.provider_id ? t('Save') : t('Set up')}
        </Button>
        {onDone && domain.provider_id ? (
          <Button look="quiet" onClick={onDone}>
            {t('Cancel')}
          </Button>
        ) : null}
      </div>
    </Form>
  )
}
