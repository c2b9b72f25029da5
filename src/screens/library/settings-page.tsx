import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { PageHeading } from '../../components/page-heading.tsx'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_signed-in/l/$library')

/** The settings with a page of their own, by the end of its address. */
export const settingsPages = () => ({
  rules: {
    title: t('Rules'),
    lead: t('What happens to a document when it arrives: tag it, move it, set a field, notify people.'),
  },
  mail: {
    title: t('Emails and file requests'),
    lead: t('Addresses anyone can email documents to, and links anyone can send files with.'),
  },
  groups: {
    title: t('Groups'),
    lead: t('Grant collections to a group, or mention everyone in it at once.'),
  },
  'sign-in': {
    title: t('Single sign-on'),
    lead: t('People sign in with your company’s accounts (SAML) and become members when they do.'),
  },
  retention: {
    title: t('Retention'),
    lead: t('How long documents stay, and which ones can’t be deleted.'),
  },
  api: {
    title: t('API keys'),
    lead: t('With a key, a program reads, adds to and searches this library.'),
  },
  webhooks: {
    title: t('Webhooks'),
    lead: t('Notify your own services about events in this library.'),
  },
})
export type SettingsPageName = keyof ReturnType<typeof settingsPages>

type SettingsPageProps = {
  name: SettingsPageName
  /** Instead of the lead that the list of pages has. */
  lead?: string
  aside?: ReactNode
  children: ReactNode
}

export function SettingsPage({ name, lead, aside, children }: SettingsPageProps) {
  const { library: id } = route.useParams()
  const { data: library } = useSuspenseQuery(libraryQuery(id))
  const page = settingsPages()[name]
  usePageTitle(page.title, library.name)
  return (
    <div className="grid w-full max-w-3xl grid-cols-1 gap-6 px-4 py-6 sm:px-8">
      <div>
        <Link
          to="/l/$library/settings"
          params={{ library: id }}
          className="mb-3 inline-flex items-center gap-1.5 rounded text-ink-soft text-sm hover:text-ink"
        >
          <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
          {t('Settings')}
        </Link>
        <PageHeading title={page.title} aside={aside}>
          {lead ?? page.lead}
        </PageHeading>
      </div>
      {children}
    </div>
  )
}
