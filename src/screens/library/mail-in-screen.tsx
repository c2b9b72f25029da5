import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { MailPlus } from 'lucide-react'
import { EmptyState } from '../../components/empty-state.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { isAtLeast } from '../../domain/roles.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { flatten, treeOf } from '../../features/collections/tree.ts'
import { FileRequestCard } from '../../features/file-requests/file-request-card.tsx'
import { fileRequestsQuery } from '../../features/file-requests/queries.ts'
import { type CollectionOption, MailAddressCard, NewMailAddress } from '../../features/mail-in/mail-address-card.tsx'
import { mailAddressesQuery, mailDomainQuery } from '../../features/mail-in/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { SettingsPage } from './settings-page.tsx'

const route = getRouteApi('/_signed-in/l/$library/settings_/mail')

export function MailInScreen() {
  const { library: id } = route.useParams()
  const { data: members } = useSuspenseQuery(membersQuery(id))
  const { data: collections } = useSuspenseQuery(collectionsQuery(id))
  const role = useRole(id)
  const places: CollectionOption[] = [
    { value: '', label: t('No collection') },
    // No-break spaces, which lists don't collapse.
    ...flatten(treeOf(collections)).map(({ id: value, name, depth }) => ({
      value,
      label: '\u00a0\u00a0'.repeat(depth - 1) + name,
    })),
  ]
  return (
    <SettingsPage name="mail">
      {isAtLeast(role, 'editor') ? (
        <>
          <FileRequestsSection library={id} places={places} />
          <div>
            <h2 className="font-semibold font-serif text-xl">{t('Email addresses')}</h2>
            <p className="text-ink-soft text-sm">
              {t(
                'An email becomes a note with its attachments next to it. An email that only carries a file becomes that file.',
              )}
            </p>
          </div>
          <Addresses
            library={id}
            places={places}
            editors={
              new Set(members.filter((member) => isAtLeast(member.role, 'editor')).map(({ user_id }) => user_id))
            }
          />
        </>
      ) : (
        <Notice tone="info">{t('Only owners and editors can see a library’s email addresses.')}</Notice>
      )}
    </SettingsPage>
  )
}

type AddressesProps = { library: string; places: readonly CollectionOption[]; editors: ReadonlySet<string> }

function Addresses({ library, places, editors }: AddressesProps) {
  const { data: domain, error: failure } = useQuery(mailDomainQuery(library))
  const { data: addresses, error } = useQuery(mailAddressesQuery(library))
  if (error ?? failure) return <FailureNotice error={error ?? failure} />
  if (!addresses || domain === undefined) return null
  if (domain === null) {
    return (
      <Notice tone="info" title={t('This server can’t receive email yet')}>
        {t(
          'An administrator of the backend has to set MAIL_IN_DOMAIN and MAIL_IN_SECRET for the receive-mail function and connect an email service or mail server to it. See docs/mail-in.md.',
        )}
      </Notice>
    )
  }
  return (
    <>
      <NewMailAddress library={library} places={places} />
      {addresses.length === 0 ? (
        <EmptyState icon={MailPlus} title={t('No addresses yet')}>
          {t(
            'Create one and save it in your address book or scanner. Anyone who knows it can add documents, so treat it like a password.',
          )}
        </EmptyState>
      ) : null}
      {addresses.map((address) => (
        <MailAddressCard
          key={address.id}
          library={library}
          address={address}
          domain={domain}
          places={places}
          works={address.owner !== null && editors.has(address.owner.id)}
        />
      ))}
    </>
  )
}

function FileRequestsSection({ library, places }: { library: string; places: readonly CollectionOption[] }) {
  const { data: requests, error } = useQuery(fileRequestsQuery(library))
  if (error) return <FailureNotice error={error} />
  return (
    <section aria-labelledby="file-requests" className="grid gap-4">
      <h2 id="file-requests" className="font-semibold font-serif text-xl">
        {t('Requests for files')}
      </h2>
      {requests?.length === 0 ? (
        <p className="text-ink-soft text-sm">
          {t('None yet. In a collection, choose Add → Request files… to get a link for people without an account.')}
        </p>
      ) : null}
      {requests?.map((request) => (
        <FileRequestCard
          key={request.id}
          library={library}
          request={request}
          place={places.find(({ value }) => value === (request.collection_id ?? ''))?.label.trim() ?? ''}
        />
      ))}
    </section>
  )
}
