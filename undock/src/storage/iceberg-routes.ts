import { storageError } from './errors.ts'
import { json, type Route, route } from './http/router.ts'

/** `/iceberg/…`: analytics buckets, which need object storage with an Iceberg catalog. Every call of the service role is
 *  refused, in the form of errors that Iceberg's REST catalog defines and storage-api keeps for these routes.
 *  @see storage-api src/http/routes/iceberg/index.ts */
export const icebergRoutes: readonly Route[] = [
  {
    ...route('*', '/iceberg/{path...}', 'service', 'storage.iceberg', async () => {
      throw storageError('NotSupported', { message: 'Analytics buckets (Iceberg) are not available on this stack' })
    }),
    refuse: ({ message, code: type, status: code }) => json({ error: { message, type, code } }, { status: code }),
  },
]
