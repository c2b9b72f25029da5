import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Select } from '../../components/select.tsx'
import type { Role } from '../../domain/roles.ts'
import { currentLanguage, t } from '../../lib/i18n/i18n.ts'
import { InvitationLink } from './invitation-link.tsx'
import { type GrantRole, type Invited, inviteMember } from './mutations.ts'
import { grantChoices, roleChoices } from './roles.ts'

type InviteFormProps = { library: string; collections: readonly { id: string; name: string }[] }

/** Invites by address: by mail, and with a link to hand over. A guest is invited to one collection. */
export function InviteForm({ library, collections }: InviteFormProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('reader')
  const [collection, setCollection] = useState('')
  const [grant, setGrant] = useState<GrantRole>('reader')
  const [locale, setLocale] = useState(currentLanguage)
  const [created, setCreated] = useState<Invited & { email: string }>()
  const invitation = useMutation({
    ...inviteMember,
    onSuccess: (invited, request) => {
      setCreated({ ...invited, email: request.email })
      setEmail('')
    },
  })
  const where = collection || collections[0]?.id
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setCreated(undefined)
    invitation.mutate({
      library,
      email: email.trim(),
      role,
      locale,
      ...(role === 'guest' && where ? { collection: where, collection_role: grant } : {}),
    })
  }
  return (
    <form onSubmit={submit} className="grid gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5">
      <FailureNotice error={invitation.error} />
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_18rem]">
        <Field label={t('Invite by email')}>
          {(control) => (
            <Input
              {...control}
              type="email"
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <Field label={t('Role')}>
          {(control) => (
            <Select
              {...control}
              value={role}
              onValue={setRole}
              options={[
                ...roleChoices(),
                ...(collections.length > 0
                  ? [{ value: 'guest' as const, label: t('Guest: sees one collection only') }]
                  : []),
              ]}
            />
          )}
        </Field>
        {role === 'guest' ? (
          <>
            <Field label={t('Collection')}>
              {(control) => (
                <Select
                  {...control}
                  value={where ?? ''}
                  onValue={setCollection}
                  options={collections.map(({ id, name }) => ({ value: id, label: name }))}
                />
              )}
            </Field>
            <Field label={t('There they')}>
              {(control) => <Select {...control} value={grant} onValue={setGrant} options={grantChoices()} />}
            </Field>
          </>
        ) : null}
        <div className="sm:col-start-2">
          <Field label={t('Language of the mail')} hint={t('Who has an account gets it in their own language.')}>
            {(control) => (
              <Select
                {...control}
                value={locale}
                onValue={setLocale}
                options={[
                  { value: 'en', label: t('English') },
                  { value: 'de', label: t('German') },
                  { value: 'ar', label: t('Arabic') },
                ]}
              />
            )}
          </Field>
        </div>
      </div>
      <Button type="submit" look="primary" busy={invitation.isPending} className="justify-self-start">
        {t('Invite')}
      </Button>
      {created ? <InvitationLink email={created.email} invited={created} /> : null}
    </form>
  )
}
