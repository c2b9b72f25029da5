import type { ReactNode } from 'react'
import { TooltipLayer } from '../../components/tooltip.tsx'
import { Wordmark } from '../../components/wordmark.tsx'
import { t } from '../../lib/i18n/i18n.ts'

export const SharedFrame = ({ children }: { children: ReactNode }) => (
  <PublicFrame
    lead={t('Read-only')}
    note={t('Carrel is a library that a team shares. Only this document is open to you.')}
  >
    {children}
  </PublicFrame>
)

type PublicFrameProps = { lead: string; note: string; children: ReactNode }

export function PublicFrame({ lead, note, children }: PublicFrameProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-14 items-center justify-between gap-4 border-line border-b px-4 sm:px-8">
        <a href="/" className="rounded" aria-label="Carrel">
          <Wordmark />
        </a>
        <p className="text-ink-faint text-xs">{lead}</p>
      </header>
      <main id="main" className="mx-auto w-full max-w-4xl flex-1 px-4 py-8 sm:px-8">
        {children}
      </main>
      <footer className="border-line border-t px-4 py-4 text-center text-ink-faint text-xs sm:px-8">{note}</footer>
      <TooltipLayer />
    </div>
  )
}
