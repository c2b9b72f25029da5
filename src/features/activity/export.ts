import * as z from 'zod/mini'
import { supabase } from '../../lib/backend/supabase.ts'
import { openGrowingFile } from '../../lib/ui/growing-file.ts'
import { filterParameters } from './areas.ts'
import { AuditEntry } from './audit-queries.ts'
import type { ActivityFilter } from './filter.ts'
import { type AuditFormat, beginningOf, linesOf } from './format.ts'

type AuditExport = {
  library: string
  filter: ActivityFilter
  format: AuditFormat
  /** File name without extension. */
  name: string
  onProgress: (entries: number) => void
  signal: AbortSignal
}

/** Downloads a library's log page by page, oldest first. Exporting is itself logged.
 *  @throws if a page can't be read. Nothing is saved then, because a partial log would look complete. */
export async function exportAudit({ library, filter, format, name, onProgress, signal }: AuditExport): Promise<void> {
  const begun = await supabase
    .rpc('start_audit_export', { library, format, ...filterParameters(filter) })
    .abortSignal(signal)
    .throwOnError()
  const file = await openGrowingFile()
  try {
    await file.write(beginningOf(format))
    let written = 0
    for (let last: AuditEntry | undefined; ; ) {
      const after = last ? { after_time: last.created_at, after_id: last.id } : {}
      const { data } = await supabase
        .rpc('export_audit', { export: begun.data, ...after })
        .abortSignal(signal)
        .throwOnError()
      const page = z.array(AuditEntry).parse(data)
      last = page.at(-1)
      if (!last) break
      await file.write(linesOf(page, format))
      written += page.length
      onProgress(written)
    }
  } catch (error) {
    await file.discard()
    throw error
  }
  await file.save(`${name}.${format}`)
}
