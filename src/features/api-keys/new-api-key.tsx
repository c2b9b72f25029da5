import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { INCLUDED_SCOPES, SCOPES, type Scope } from '../../../supabase/functions/_shared/facts.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { createApiKey } from './mutations.ts'

/** Creates a key and shows it once. */
export function NewApiKey({ library }: { library: string }) {
  const [name, setName] = useState('')
  const [days, setDays] = useState('90')
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set(['documents:read']))
  const creation = useMutation({ ...createApiKey, onSuccess: () => setName('') })
  const included = includedScopes(chosen)
  const submit = () => creation.mutate({ library, name, scopes: [...chosen], days: Number(days) })
  return (
    <div className="grid gap-5">
      <Form onSubmit={submit} error={creation.error}>
        <div className="grid items-start gap-4 sm:grid-cols-[1fr_12rem]">
          <TextField
            label={t('Name')}
            hint={t('What will use the key, such as “Nightly import”.')}
            value={name}
            onValue={setName}
            column="api_keys.name"
            required
          />
          <SelectField
            label={t('Valid')}
            value={days}
            onValue={setDays}
            options={[
              { value: '30', label: t('for 30 days') },
              { value: '90', label: t('for 90 days') },
              { value: '365', label: t('for a year') },
              { value: '0', label: t('until it is revoked') },
            ]}
          />
        </div>
        <fieldset className="grid gap-2">
          <legend className="mb-2 font-medium text-ink text-sm">{t('What it may do')}</legend>
          {SCOPES.map((scope) => (
            <div key={scope} className="flex min-h-6 items-center gap-2.5 text-sm">
              <Checkbox
                id={`scope-${scope}`}
                checked={chosen.has(scope) || included.has(scope)}
                disabled={included.has(scope)}
                onChange={({ target }) => {
                  const next = new Set(chosen)
                  if (target.checked) next.add(scope)
                  else next.delete(scope)
                  setChosen(next)
                }}
              />
              <label htmlFor={`scope-${scope}`} className="min-w-0 flex-1">
                {scopeLabel(scope)}
              </label>
              <code dir="ltr" className="hidden text-ink-faint text-xs sm:block">
                {scope}
              </code>
            </div>
          ))}
        </fieldset>
        <div>
          <Button type="submit" look="primary" busy={creation.isPending} disabled={chosen.size === 0}>
            {t('Create key')}
          </Button>
        </div>
      </Form>
      {creation.data ? (
        <Notice tone="success" title={t('Your key is ready. Keep it like a password.')}>
          <p className="mb-2">{t('Copy it now. You won’t see it again.')}</p>
          <CopyField label={t('API key')} value={creation.data.key} />
        </Notice>
      ) : null}
    </div>
  )
}

function scopeLabel(scope: Scope): string {
  switch (scope) {
    case 'documents:read':
      return t('Read documents, collections and tags')
    case 'documents:write':
      return t('Add and change documents, collections and tags')
    case 'search':
      return t('Search')
    case 'comments:read':
      return t('Read comments')
    case 'comments:write':
      return t('Comment')
    case 'members:read':
      return t('Read names and roles of members')
  }
}

const includedScopes = (chosen: ReadonlySet<Scope>): ReadonlySet<Scope> =>
  new Set([...chosen].flatMap((scope) => INCLUDED_SCOPES[scope] ?? []))
