import { Download, File } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { t } from '../../lib/i18n/i18n.ts'

type KeptFileProps = { name: string; size: string; onDownload: () => void }

/** A file that is not shown here: what it is called, and a way to have it. */
export function KeptFile({ name, size, onDownload }: KeptFileProps) {
  return (
    <section className="mx-auto grid max-w-md justify-items-center gap-3 rounded-lg border border-line bg-surface px-4 py-10 text-center">
      <File aria-hidden className="size-8 text-accent" strokeWidth={1.5} />
      <p className="font-semibold [overflow-wrap:anywhere]">
        <bdi>{name}</bdi>
      </p>
      <p className="text-ink-soft text-sm">{t('This file is stored unchanged.')}</p>
      <p className="text-ink-faint text-sm tabular-nums">{size}</p>
      <Button onClick={onDownload}>
        <Download aria-hidden />
        {t('Download')}
      </Button>
    </section>
  )
}
