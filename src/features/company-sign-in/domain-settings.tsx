import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { TextField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useOptimisticChoice } from '../../lib/ui/use-optimistic-choice.ts'
import { changeDomain } from './mutations.ts'
import type { SignInDomain } from './queries.ts'

type NewMemberRole = 'none' | 'reader' | 'editor'

const newMemberRoles = (): { value: NewMemberRole; label: string }[] => [
  { value: 'none', label: t('Can’t join') },
  { value: 'reader', label: t('Become readers') },
  { value: 'editor', label: t('Become editors') },
]

type DomainSettingsProps = {
  library: string
  domain: SignInDomain
  /** Whether SAML is available: otherwise requiring it would lock out everyone but owners. */
  isUsable: boolean
}

export function DomainSettings({ library, domain, isUsable }: DomainSettingsProps) {
  const id = useId()
  const [company, setCompany] = useState(domain.company)
  const of = { library, domain: domain.id }
  // Serialized, so that the last choice wins. Each control has its own mutation, because it shows its pending choice.
  const mutation = { ...changeDomain, scope: { id: `sign-in domain ${domain.id}` } }
  const naming = useMutation(mutation)
  const inviting = useMutation(mutation)
  const requiring = useMutation(mutation)
  const [role, setRole] = useOptimisticChoice<NewMemberRole>(
    (domain.new_member_role ?? 'none') as NewMemberRole,
    (chosen, options) =>
      inviting.mutate({ ...of, change: { new_member_role: chosen === 'none' ? null : chosen } }, options),
  )
  const [isRequired, require] = useOptimisticChoice(domain.is_required, (wanted, options) =>
    requiring.mutate({ ...of, change: { is_required: wanted } }, options),
  )
  return (
    <div className="grid gap-5">
      <FailureNotice error={naming.error ?? inviting.error ?? requiring.error} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label={t('Company name')}
          hint={t('The name people know it by.')}
          column="sign_in_domains.company"
          placeholder={domain.domain}
          value={company}
          onValue={setCompany}
          onBlur={() => {
            if (company.trim() !== domain.company) naming.mutate({ ...of, change: { company: company.trim() } })
          }}
        />
        <SelectField
          label={t('People who are not members yet')}
          hint={
            role === 'none'
              ? t('Only current members and people with an invitation can join.')
              : t('When they sign in with the company for the first time.')
          }
          value={role}
          onValue={setRole}
          options={newMemberRoles()}
        />
      </div>
      <div className="grid gap-2">
        <label htmlFor={id} className="flex items-center gap-3 font-medium text-sm">
          <Checkbox
            id={id}
            checked={isRequired}
            disabled={!isUsable && !isRequired && !requiring.isPending}
            onChange={({ target }) => require(target.checked)}
          />
          {t('Require company sign-in')}
        </label>
        <p className="text-ink-soft text-sm leading-relaxed">
          {t(
            'Members with an email at {domain} then see nothing of this library in sessions started any other way, such as with a password. Members with other emails aren’t affected. API keys keep working.',
            { domain: domain.domain },
          )}
        </p>
        <p className="text-ink-soft text-sm leading-relaxed">
          {t(
            'Owners can always sign in with their password, in case the identity provider fails. Protect their accounts with a second factor.',
          )}
        </p>
      </div>
    </div>
  )
}
