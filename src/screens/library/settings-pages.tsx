import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { t } from '../../lib/i18n/i18n.ts'

const editorPages = () =>
  [
    {
      to: '/l/$library/settings/rules',
      title: t('Rules'),
      lead: t('What happens to a document when it arrives: tag it, move it, set a field, notify people.'),
    },
    {
      to: '/l/$library/settings/mail',
      title: t('Emails and file requests'),
      lead: t('Addresses anyone can email documents to, and links anyone can send files with.'),
    },
  ] as const
const ownerPages = () =>
  [
    {
      to: '/l/$library/settings/groups',
      title: t('Groups'),
      lead: t('Grant collections to a group, or mention everyone in it at once.'),
    },
    {
      to: '/l/$library/settings/sign-in',
      title: t('Single sign-on'),
      lead: t('People sign in with your company’s accounts (SAML) and become members when they do.'),
    },
    {
      to: '/l/$library/settings/retention',
      title: t('Retention'),
      lead: t('How long documents stay, and which ones can’t be deleted.'),
    },
    {
      to: '/l/$library/settings/api',
      title: t('API keys'),
      lead: t('With a key, a program reads, adds to and searches this library.'),
    },
    {
      to: '/l/$library/settings/webhooks',
      title: t('Webhooks'),
      lead: t('Notify your own services about events in this library.'),
    },
  ] as const

export function SettingsPages({ library, isOwner }: { library: string; isOwner: boolean }) {
  return (
    <nav aria-label={t('More settings')}>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {[...editorPages(), ...(isOwner ? ownerPages() : [])].map(({ to, title, lead }) => (
          <li key={to} className="relative flex items-center gap-3 px-4 py-3 hover:bg-hover">
            <div className="min-w-0 flex-1">
              <Link to={to} params={{ library }} className="font-medium text-sm after:absolute after:inset-0">
                {title}
              </Link>
              <p className="text-ink-soft text-sm">{lead}</p>
            </div>
            <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-faint rtl:-scale-x-100" />
          </li>
        ))}
      </ul>
    </nav>
  )
}
