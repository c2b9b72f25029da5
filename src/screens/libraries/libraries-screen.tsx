import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { LibraryBig, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { FavoritesPanel } from '../../features/favorites/favorites-panel.tsx'
import { InvitationList } from '../../features/libraries/invitation-list.tsx'
import { LibraryList } from '../../features/libraries/library-list.tsx'
import {
  companiesToSignInQuery,
  hiddenLibrariesQuery,
  invitationsQuery,
  librariesQuery,
} from '../../features/libraries/queries.ts'
import { RecentPanel } from '../../features/recent/recent-panel.tsx'
import { EverywhereForm } from '../../features/search/everywhere-form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'

const CreateLibraryDialog = lazy(() =>
  import('../../features/libraries/create-library-dialog.tsx').then(({ CreateLibraryDialog }) => ({
    default: CreateLibraryDialog,
  })),
)

const CompanyNotice = lazy(() =>
  import('../../features/account/company-notice.tsx').then(({ CompanyNotice }) => ({ default: CompanyNotice })),
)

export function LibrariesScreen() {
  const { user } = useSession()
  const navigate = useNavigate()
  const { data: libraries } = useSuspenseQuery(librariesQuery(user.id))
  const { data: invitations = [] } = useQuery(invitationsQuery(user.id))
  const { data: hidden = 0 } = useQuery(hiddenLibrariesQuery)
  const { data: companies = [] } = useQuery(companiesToSignInQuery)
  const [creating, setCreating] = useState(false)
  usePageTitle(t('My libraries'))
  const create = (
    <Button icon={Plus} look="primary" onClick={() => setCreating(true)}>
      {t('New library')}
    </Button>
  )

  return (
    <main id="main" className="mx-auto w-full max-w-6xl px-4 py-8 sm:px-8 sm:py-12">
      <div className="mb-8 flex flex-wrap items-end justify-between gap-4">
        <div>
          <h1 className="font-semibold font-serif text-3xl tracking-tight sm:text-4xl">{t('My libraries')}</h1>
          <p className="mt-1 text-ink-soft">{t('Only its members can see a library.')}</p>
        </div>
        {libraries.length > 0 ? create : null}
      </div>
      {hidden > 0 ? (
        <Notice tone="info" className="mb-6">
          {t(
            '{hidden, plural, one {One of your libraries asks for a second factor.} other {# of your libraries ask for a second factor.}}',
            { hidden },
          )}{' '}
          <Link to="/settings/security" className="font-medium underline underline-offset-2">
            {t('Add one under Security')}
          </Link>
        </Notice>
      ) : null}
      <Suspense fallback={null}>
        {companies.map(({ company, domain, libraries: waiting }) => (
          <CompanyNotice
            key={domain}
            company={company}
            domain={domain}
            count={waiting.length}
            next="/"
            className="mb-6"
          />
        ))}
      </Suspense>
      <InvitationList
        invitations={invitations}
        onAccepted={(library) => void navigate({ to: '/l/$library', params: { library } })}
      />
      {libraries.length > 0 ? (
        <EverywhereForm onSearch={(q) => void navigate({ to: '/search', search: { q } })} />
      ) : null}
      <FavoritesPanel />
      <RecentPanel />
      {libraries.length > 0 ? (
        <LibraryList libraries={libraries} />
      ) : (
        <EmptyState icon={LibraryBig} title={t('Your first library')} action={create}>
          {t(
            'Create one for your team, a project or yourself. Then drop files on it: PDFs, Markdown, web pages, text. A minute later you can find every passage in them.',
          )}
        </EmptyState>
      )}
      <Suspense fallback={<Opening />}>
        {creating ? (
          <CreateLibraryDialog
            onClose={() => setCreating(false)}
            onCreated={(library) => void navigate({ to: '/l/$library', params: { library } })}
          />
        ) : null}
      </Suspense>
    </main>
  )
}
