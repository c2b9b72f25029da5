import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { t } from '../../lib/i18n/i18n.ts'

/** The way back from one part of a library's settings to all of them. */
export function BackToSettings({ library }: { library: string }) {
  return (
    <Link
      to="/l/$library/settings"
      params={{ library }}
      className="mb-3 inline-flex items-center gap-1.5 rounded text-ink-soft text-sm hover:text-ink"
    >
      <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
      {t('Settings')}
    </Link>
  )
}
