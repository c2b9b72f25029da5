import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChartNoAxesColumn, History, Settings2, Users } from 'lucide-react'
import { unreadQuery } from '../../features/activity/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { countUpTo } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'

type LibraryLinksProps = { library: string; className: string; activeClassName: string }

/** Links to a library's screens, except for guests.
 *  @param className A link's classes, @param activeClassName those of the current screen's link. */
export function LibraryLinks({ library, className, activeClassName }: LibraryLinksProps) {
  const role = useRole(library)
  const { data: unread = [] } = useQuery(unreadQuery)
  const news = unread.find(({ library_id }) => library_id === library)?.unread ?? 0
  if (role === 'guest') return null
  const link = { params: { library }, activeProps: { className: activeClassName }, className }
  return (
    <>
      <li>
        <Link to="/l/$library/activity" {...link}>
          <History aria-hidden />
          {t('Activity')}
          {news > 0 ? (
            <span className="ms-auto rounded-full bg-accent-soft px-2 font-medium text-accent-strong text-xs leading-5">
              {countUpTo(99, news)}
              <span className="sr-only"> {t('new')}</span>
            </span>
          ) : null}
        </Link>
      </li>
      <li>
        <Link to="/l/$library/members" {...link}>
          <Users aria-hidden />
          {t('Members')}
        </Link>
      </li>
      <li>
        <Link to="/l/$library/insights" {...link}>
          <ChartNoAxesColumn aria-hidden />
          {t('Insights')}
        </Link>
      </li>
      <li>
        <Link to="/l/$library/settings" {...link}>
          <Settings2 aria-hidden />
          {t('Settings')}
        </Link>
      </li>
    </>
  )
}
