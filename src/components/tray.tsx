import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { IconButton } from './button.tsx'

type TrayProps = {
  label: string
  title: string
  onDismiss: (() => void) | undefined
  above?: ReactNode
  children: ReactNode
}

const BOX = 'animate-rise overflow-hidden rounded-lg border border-line bg-surface shadow-lift'

/** What is running in the background, and how it ended. */
export function Tray({ label, title, onDismiss, above, children }: TrayProps) {
  const [open, setOpen] = useState(true)
  return (
    <section aria-label={label} className={BOX}>
      <header className="flex min-h-11 items-center gap-1 border-line border-b py-1.5 pe-1.5 ps-4">
        <h2 className="me-auto font-medium text-sm" aria-live="polite">
          {title}
        </h2>
        <IconButton
          label={open ? t('Collapse') : t('Expand')}
          icon={open ? ChevronDown : ChevronUp}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        {onDismiss ? <IconButton label={t('Dismiss the list')} icon={X} onClick={onDismiss} /> : null}
      </header>
      {above}
      {open ? children : null}
    </section>
  )
}
