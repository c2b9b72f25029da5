import { useQuery } from '@tanstack/react-query'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { FileRequestCard } from '../../features/file-requests/file-request-card.tsx'
import { fileRequestsQuery } from '../../features/file-requests/queries.ts'
import type { CollectionOption } from '../../features/mail-in/mail-address-card.tsx'
import { t } from '../../lib/i18n/i18n.ts'

/** The library's requests for files, with what came by them. */
export function FileRequestsSection({ library, places }: { library: string; places: readonly CollectionOption[] }) {
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
