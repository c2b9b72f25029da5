import { Link2 } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { revokeShareLink } from './mutations.ts'
import type { ShareLink } from './queries.ts'

type ShareLinkListProps = { library: string; document: string; links: readonly ShareLink[] }

export function ShareLinkList({ library, document, links }: ShareLinkListProps) {
  const revocation = useAction(revokeShareLink)
  if (links.length === 0) return null
  return (
    <ul aria-label={t('Links')} className="divide-y divide-line rounded-lg border border-line">
      {links.map((link) => {
        const live = isLive(link)
        return (
          <li key={link.id} className="flex items-center gap-3 px-3 py-2.5 text-sm">
            <Link2 aria-hidden className={live ? 'size-4 text-accent' : 'size-4 text-ink-faint'} />
            <div className="min-w-0 flex-1">
              <p className={live ? '' : 'text-ink-faint'}>{stateOf(link)}</p>
              <p className="text-ink-faint text-xs">
                {t('{views, plural, =0 {not opened yet} one {opened once} other {opened # times}}', {
                  views: link.view_count,
                })}
                {' · '}
                {t('created by {name} on {date}', {
                  name: link.author?.display_name ?? t('a former member'),
                  date: formatDate(link.created_at),
                })}
              </p>
            </div>
            {live ? (
              <Button
                size="small"
                look="danger"
                busy={revocation.isPending && revocation.variables.link === link.id}
                onClick={() => revocation.mutate({ library, document, link: link.id })}
              >
                {t('Revoke')}
              </Button>
            ) : null}
          </li>
        )
      })}
    </ul>
  )
}

const isLive = ({ expires_at, revoked_at }: ShareLink): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now())

function stateOf({ expires_at, revoked_at }: ShareLink): string {
  if (revoked_at) return t('revoked on {date}', { date: formatDate(revoked_at) })
  if (!expires_at) return t('works until it is revoked')
  const date = formatDate(expires_at)
  return Date.parse(expires_at) > Date.now() ? t('works until {date}', { date }) : t('expired on {date}', { date })
}
