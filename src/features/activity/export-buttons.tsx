import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { keys } from '../../domain/keys.ts'
import { formatNumber } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { ActivityFilter } from './filter.ts'
import type { AuditFormat } from './format.ts'

type ExportButtonsProps = { library: { id: string; name: string }; filter: ActivityFilter }

/** Exports the filtered entries. The code is loaded on first use. */
export function ExportButtons({ library, filter }: ExportButtonsProps) {
  const [entries, setEntries] = useState(0)
  const abort = useRef<AbortController>(undefined)
  const exporting = useMutation({
    mutationFn: async (format: AuditFormat) => {
      abort.current = new AbortController()
      setEntries(0)
      const { exportAudit } = await import('./export.ts')
      const name = `${fileName(library.name)}-audit-${new Date().toISOString().slice(0, 10)}`
      const { signal } = abort.current
      await exportAudit({ library: library.id, filter, format, name, onProgress: setEntries, signal })
    },
    meta: { invalidates: () => [keys.audit(library.id)] },
  })
  return (
    <div className="grid gap-3">
      {exporting.error && !abort.current?.signal.aborted ? <FailureNotice error={exporting.error} /> : null}
      {exporting.isPending ? (
        <div className="flex items-center gap-3">
          <Progress label={t('Exporting: {entries} entries', { entries: formatNumber(entries) })} value={null} />
          <Button size="small" onClick={() => abort.current?.abort()}>
            {t('Stop')}
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button icon={Download} onClick={() => exporting.mutate('csv')}>
            {t('Export as CSV')}
          </Button>
          <Button icon={Download} onClick={() => exporting.mutate('jsonl')}>
            {t('Export as JSON Lines')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** A name that is valid on every file system. */
const fileName = (name: string): string => name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 80)
