import { useQuery } from '@tanstack/react-query'
import { Notice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { SettingsSection } from '../../components/settings-section.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { formatTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useOptimisticChoice } from '../../lib/ui/use-optimistic-choice.ts'
import { chooseMails, type MailChoice } from './mutations.ts'
import { type MailChoices, mailSettingsQuery, serverMailsQuery } from './queries.ts'

type Kind = Exclude<keyof MailChoice, 'hour'>
type Frequency = MailChoices['mention']

const kinds = (): { kind: Kind; label: string }[] => [
  { kind: 'mention', label: t('When someone mentions me') },
  { kind: 'reply', label: t('When someone replies to me') },
  { kind: 'import', label: t('When my documents have been read, or files arrive for my requests') },
  { kind: 'search', label: t('When a saved search finds something new') },
  { kind: 'rule', label: t('When a rule notifies me about a document') },
  {
    kind: 'verification',
    label: t('When I’m asked to verify or approve something, or someone decides about my change'),
  },
]
const frequencies = (): { value: Frequency; label: string }[] => [
  { value: 'at_once', label: t('Immediately') },
  { value: 'daily', label: t('Once a day') },
  { value: 'weekly', label: t('On Mondays') },
  { value: 'never', label: t('Never') },
]
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour))

export function MailSettings({ person }: { person: string }) {
  const { data } = useQuery(mailSettingsQuery(person))
  const { data: serverMails } = useQuery(serverMailsQuery)
  // Serialized, so that the last choice wins.
  const saving = useAction(chooseMails, { scope: { id: 'mails' } })
  const [choices, choose] = useOptimisticChoice<MailChoice>(data ?? {}, (choice, options) =>
    saving.mutate(choice, options),
  )
  if (!data) return null
  if (serverMails === false) {
    return (
      <div className="mt-8 border-line border-t pt-7">
        <SettingsSection title={t('Emails')}>
          <Notice tone="info" title={t('This server doesn’t email notifications')}>
            {t(
              'They appear in your inbox here. To send emails, an administrator of the backend has to set MAIL_SERVER, MAIL_FROM and SITE_URL for its functions.',
            )}
          </Notice>
        </SettingsSection>
      </div>
    )
  }
  const { hour = 8 } = choices
  return (
    <div className="mt-8 border-line border-t pt-7">
      <SettingsSection
        title={t('Emails')}
        lead={t(
          'We don’t email you what you’ve already read. Emails reveal nothing about libraries that require a second factor.',
        )}
      >
        <div className="grid max-w-md gap-4">
          {kinds().map(({ kind, label }) => (
            <SelectField<Frequency>
              key={kind}
              label={label}
              value={choices[kind] ?? 'never'}
              onValue={(frequency) => choose({ ...choices, [kind]: frequency })}
              options={frequencies()}
            />
          ))}
          <SelectField
            label={t('Time of daily and weekly emails')}
            hint={t('In the time zone of this device.')}
            value={String(hour)}
            onValue={(chosen) => choose({ ...choices, hour: Number(chosen) })}
            options={HOURS.map((value) => ({ value, label: formatTime(new Date(2026, 0, 1, Number(value))) }))}
          />
        </div>
      </SettingsSection>
    </div>
  )
}
