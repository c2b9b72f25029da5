import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextareaField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { failureText } from '../../domain/failure.ts'
import type { Role } from '../../domain/roles.ts'
import { currentLanguage, t } from '../../lib/i18n/i18n.ts'
import { InvitationLink } from './invitation-link.tsx'
import { type GrantRole, type Invited, inviteMember } from './mutations.ts'
import { grantChoices, roleChoices } from './roles.ts'

type InviteFormProps = { library: string; collections: readonly { id: string; name: string }[] }

/** Invites by mail, with a link to share. A guest is invited to one collection. */
export function InviteForm({ library, collections }: InviteFormProps) {
  const [emails, setEmails] = useState('')
  const [role, setRole] = useState<Role>('reader')
  const [collection, setCollection] = useState('')
  const [grant, setGrant] = useState<GrantRole>('reader')
  const [locale, setLocale] = useState(currentLanguage)
  const invitation = useMutation(inviteMember)
  const where = collection || collections[0]?.id
  const inviting = useMutation({
    mutationFn: async () => {
      const results: { email: string; invited?: Invited; error?: unknown }[] = []
      // In sequence, because the service counts mails per hour.
      for (const email of addressesIn(emails)) {
        const guest = role === 'guest' && where ? { collection: where, collection_role: grant } : {}
        await invitation.mutateAsync({ library, email, role, locale, ...guest }).then(
          (invited) => results.push({ email, invited }),
          (error: unknown) => results.push({ email, error }),
        )
      }
      return results
    },
    // Keep failed addresses for correction.
    onSuccess: (results) => setEmails(results.flatMap(({ email, error }) => (error ? email : [])).join('\n')),
  })
  const submit = () => inviting.mutate()
  return (
    <Form onSubmit={submit} className="grid gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <div className="sm:col-span-2">
          <TextareaField
            label={t('Invite by email')}
            hint={t('To invite several people, separate emails with spaces, commas or line breaks.')}
            required
            dir="ltr"
            inputMode="email"
            rows={2}
            className="min-h-16"
            value={emails}
            onValue={setEmails}
          />
        </div>
        <SelectField
          label={t('Role')}
          value={role}
          onValue={setRole}
          options={[
            ...roleChoices(),
            ...(collections.length > 0
              ? [{ value: 'guest' as const, label: t('Guest: sees one collection only') }]
              : []),
          ]}
        />
        <SelectField
          label={t('Invitation language')}
          hint={t('People with an account get it in their own language.')}
          value={locale}
          onValue={setLocale}
          options={[
            { value: 'en', label: t('English') },
            { value: 'de', label: t('German') },
            { value: 'ar', label: t('Arabic') },
          ]}
        />
        {role === 'guest' ? (
          <>
            <SelectField
              label={t('Collection')}
              value={where ?? ''}
              onValue={setCollection}
              options={collections.map(({ id, name }) => ({ value: id, label: name }))}
            />
            <SelectField label={t('Access')} value={grant} onValue={setGrant} options={grantChoices()} />
          </>
        ) : null}
      </div>
      <Button type="submit" look="primary" busy={inviting.isPending} className="justify-self-start">
        {t('Invite')}
      </Button>
      {inviting.data?.map(({ email, invited, error }) =>
        invited ? (
          <InvitationLink key={email} email={email} invited={invited} />
        ) : (
          <Notice key={email} tone="error" title={email}>
            {failureText(error)}
          </Notice>
        ),
      )}
    </Form>
  )
}

/** Returns the distinct addresses in a text, including `Ada <ada@example.org>`. */
const addressesIn = (text: string): string[] => [
  ...new Map(
    text
      .replaceAll(/[^,;\n]*<([^<>\s]+@[^<>\s]+)>/g, ' $1 ')
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map((address) => [address.toLowerCase(), address]),
  ).values(),
]
