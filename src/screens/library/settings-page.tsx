import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { PageHeading } from '../../components/page-heading.tsx'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

type SettingsPageProps = {
  library: string
  title: string
  lead: string
  aside?: ReactNode
  isWide?: boolean
  children: ReactNode
}

export function SettingsPage({ library: id, title, lead, aside, isWide = false, children }: SettingsPageProps) {
  const { data: library } = useSuspenseQuery(libraryQuery(id))
  usePageTitle(title, library.name)
  return (
    <div className={classNames('grid w-full grid-cols-1 gap-6 px-4 py-6 sm:px-8', isWide ? 'max-w-4xl' : 'max-w-3xl')}>
      <div>
        <Link
          to="/l/$library/settings"
          params={{ library: id }}
          className="mb-3 inline-flex items-center gap-1.5 rounded text-ink-soft text-sm hover:text-ink"
        >
          <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
          {t('Settings')}
        </Link>
        <PageHeading title={title} aside={aside}>
          {lead}
        </PageHeading>
      </div>
      {children}
    </div>
  )
}
