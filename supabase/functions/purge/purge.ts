import type { Client } from '../_shared/clients.ts'

/** The number of files per query, and the maximum number of rounds in one run: the rest is left for the next night. */
const BATCH = 500
const ROUNDS = 100

/** Runs the retention rules, reminds of verifications that end, deletes documents whose time in the trash is over, old notifications, received files that nobody wants, then every stored file without a
 *  reference. It can be run at any time and stopped at any point: rows are deleted first, and the next run finds files without a row
 *  again. */
export async function purge(service: Client): Promise<{ documents: number; files: number }> {
  await service.rpc('apply_retention').throwOnError()
  await service.rpc('remind_of_verifications').throwOnError()
  const { data: documents } = await service.rpc('purge_trash').throwOnError()
  await service.rpc('purge_notifications').throwOnError()
  await service.rpc('purge_received_files').throwOnError()
  let files = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { data: found } = await service.rpc('unreferenced_files', { max_results: BATCH }).throwOnError()
    let removed = 0
    for (const [bucket, group] of Map.groupBy(found, (file) => file.bucket)) {
      const { data: gone, error } = await service.storage.from(bucket).remove(group.map(({ path }) => path))
      if (error) throw error
      removed += gone.length
    }
    files += removed
    // Nothing was found, or nothing could be deleted: another round would find the same.
    if (removed === 0) break
  }
  return { documents, files }
}
