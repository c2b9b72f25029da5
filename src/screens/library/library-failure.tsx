import { useQuery } from '@tanstack/react-query'
import { type ErrorComponentProps, useLocation, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { FailureView } from '../../components/failure-view.tsx'
import { isRefused } from '../../domain/failure.ts'
import { companiesToSignInQuery } from '../../features/libraries/queries.ts'

const CompanyGate = lazy(() =>
  import('../../features/account/company-notice.tsx').then(({ CompanyGate }) => ({ default: CompanyGate })),
)

/** Replaces a failed library. If it requires company sign-in, offers that instead. */
export function LibraryFailure({ error }: ErrorComponentProps) {
  const { library } = useParams({ strict: false })
  const next = useLocation({ select: ({ href }) => href })
  const { data: companies, isLoading } = useQuery({ ...companiesToSignInQuery, enabled: isRefused(error) })
  if (isLoading) return null
  const asking = companies?.find(({ libraries }) => libraries.includes(library ?? ''))
  if (!asking) return <FailureView error={error} />
  return (
    <main id="main">
      <Suspense fallback={null}>
        <CompanyGate company={asking.company} domain={asking.domain} next={next} />
      </Suspense>
    </main>
  )
}
