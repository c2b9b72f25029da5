import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { t } from '../../lib/i18n/i18n.ts'
import { type SettingsPageName, settingsPages } from './settings-page.tsx'

const FOR_EDITORS: readonly SettingsPageName[] = ['rules', 'mail']
const FOR_OWNERS: readonly SettingsPageName[] = ['groups', 'sign-in', 'retention', 'api', 'webhooks']

export function SettingsPages({ library, isOwner }: { library: string; isOwner: boolean }) {
  const pages = settingsPages()
  return (
    <nav aria-label={t('More settings')}>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {[...FOR_EDITORS, ...(isOwner ? FOR_OWNERS : [])].map((name) => (
          <li key={name} className="relative flex items-center gap-3 px-4 py-3 hover:bg-hover">
            <div className="min-w-0 flex-1">
              <Link
                to={`/l/$library/settings/${name}`}
                params={{ library }}
                className="font-medium text-sm after:absolute after:inset-0"
              >
                {pages[name].title}
              </Link>
              <p className="text-ink-soft text-sm">{pages[name].lead}</p>
            </div>
            <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-faint rtl:-scale-x-100" />
          </li>
        ))}
      </ul>
    </nav>
  )
}
