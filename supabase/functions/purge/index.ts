import { askAuthAdmin, type Client, isProject, serviceClient } from '../_shared/clients.ts'
import { refusal } from '../_shared/errors.ts'
import { jsonAction } from '../_shared/http.ts'
import { metadataFetch, refreshConnections, settleConnections } from '../_shared/sign-in/connections.ts'
import { openDomains } from '../_shared/sign-in/domains.ts'

/** Files per query, and the maximum of rounds per run: the rest is left for the next night. */
const BATCH = 500
const ROUNDS = 100

/** Applies retention rules, sends verification reminders, and deletes expired trash, old notifications, abandoned
 *  incoming files and unreferenced stored files. Safe to run at any time and to interrupt: rows are deleted first, and
 *  the next run finds files without a row. */
async function purge(service: Client): Promise<{ documents: number; files: number }> {
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
    // Nothing left, or nothing deletable: another round would find the same.
    if (removed === 0) break
  }
  return { documents, files }
}

/** For the scheduler only: requires the project's secret key instead of a user session. */
Deno.serve(
  jsonAction(async (_, request) => {
    if (!isProject(request)) throw refusal('not_the_project')
    const service = serviceClient()
    const purged = await purge(service)
    const domains = openDomains(service)
    await settleConnections(domains, askAuthAdmin)
    await refreshConnections(await domains.metadataAddresses(), askAuthAdmin, metadataFetch())
    return purged
  }),
)
