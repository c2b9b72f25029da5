import { Link, Outlet } from '@tanstack/react-router'
import { Palette, ShieldCheck, UserRound } from 'lucide-react'
import { msg, t } from '../../lib/i18n/i18n.ts'

const PLACES = [
  { to: '/settings/profile', label: msg('Profile'), icon: UserRound },
  { to: '/settings/security', label: msg('Security'), icon: ShieldCheck },
  { to: '/settings/appearance', label: msg('Appearance'), icon: Palette },
] as const

export function SettingsLayout() {
  return (
    <div className="mx-auto grid w-full max-w-6xl grid-cols-1 gap-x-12 gap-y-6 px-4 py-8 sm:px-8 md:grid-cols-[12rem_minmax(0,1fr)] md:py-12">
      <nav aria-label={t('Settings')} className="flex gap-1 overflow-x-auto md:flex-col">
        {PLACES.map(({ to, label, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            className="flex min-h-9 items-center gap-2.5 rounded-md px-3 text-ink-soft text-sm hover:bg-hover hover:text-ink data-[status=active]:bg-hover data-[status=active]:font-medium data-[status=active]:text-ink"
          >
            <Icon aria-hidden className="size-4" />
            {t(label)}
          </Link>
        ))}
      </nav>
      <main id="main" className="min-w-0">
        <Outlet />
        <footer className="mt-6 border-line border-t py-4 text-ink-faint text-xs">
          {t('Citations formatted by')} {/* Its licence asks larger works to show this (CPAL 1.0, section 14). */}
          <a
            href="https://github.com/Juris-M/citeproc-js"
            target="_blank"
            rel="noopener noreferrer"
            className="underline underline-offset-2"
          >
            citeproc-js
          </a>
          {', © 2009–2019 Frank Bennett, CPAL 1.0.'}
        </footer>
      </main>
    </div>
  )
}
