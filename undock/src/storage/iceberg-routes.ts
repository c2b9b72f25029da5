import { fromSystem, StorageError, storageError } from './errors.ts'
import { type Call, identify, json, type Route, route } from './http/router.ts'

/** `/iceberg/…`: analytics buckets, which need object storage with an Iceberg catalog. Every call of the service role is
 *  refused, in the form of errors that Iceberg's REST catalog defines and storage-api keeps for these routes.
 *  @see storage-api src/http/routes/iceberg/index.ts */
export const icebergRoutes: readonly Route[] = [route('*', '/iceberg/{path...}', 'anyone', 'storage.iceberg', refuse)]

async function refuse({ request, deps }: Call): Promise<Response> {
  try {
    await identify(request, 'service', deps.identity)
    throw storageError('NotSupported', { message: 'Analytics buckets (Iceberg) are not available on this stack' })
  } catch (thrown) {
    const error = fromSystem(thrown)
    if (!(error instanceof StorageError)) throw error
    const { message, code: type, status: code } = error
    return json({ error: { message, type, code } }, { status: code })
  }
}
