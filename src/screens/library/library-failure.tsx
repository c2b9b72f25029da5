import { useQuery } from '@tanstack/react-query'
import { type ErrorComponentProps, useLocation, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { FailureView } from '../../components/failure-view.tsx'
import { isRefused } from '../../domain/failure.ts'
import { companiesToSignInQuery } from '../../features/libraries/queries.ts'

const CompanyNotice = lazy(() =>
  import('../../features/account/company-notice.tsx').then(({ CompanyNotice }) => ({ default: CompanyNotice })),
)

/** Replaces a library that failed. Where it is only that the library asks for a session of a company, that company is offered. */
export function LibraryFailure({ error }: ErrorComponentProps) {
  const { library } = useParams({ strict: false })
  const next = useLocation({ select: ({ href }) => href })
  const { data: companies } = useQuery({ ...companiesToSignInQuery, enabled: isRefused(error) })
  const asking = companies?.find(({ libraries }) => libraries.includes(library ?? ''))
  return (
    <>
      {asking ? (
        <div className="mx-auto max-w-md px-4 pt-12">
          <Suspense fallback={null}>
            <CompanyNotice company={asking.company} domain={asking.domain} count={1} next={next} />
          </Suspense>
        </div>
      ) : null}
      <FailureView error={error} />
    </>
  )
}
