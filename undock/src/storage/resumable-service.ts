import type { StorageDeps } from './deps.ts'
import type { ResumableOptions } from './resumable.ts'
import { RESUMABLE_PATH } from './router.ts'

/** Milliseconds after the start, and then between two looks, at which uploads that expired are removed. */
const FIRST_EXPIRY = 60 * 1000
const EXPIRY_INTERVAL = 60 * 60 * 1000

export type ResumableService = {
  serves(pathname: string): boolean
  handle(request: Request): Promise<Response>
  close(): Promise<void>
}

/** Resumable uploads, whose library is loaded with the first of them: a start does not wait for it. */
export function serveResumable(deps: StorageDeps, options: ResumableOptions): ResumableService {
  let loading: Promise<import('./resumable.ts').Resumable> | undefined
  const load = () => {
    loading ??= import('./resumable.ts').then(({ createResumable }) => createResumable(deps, options))
    return loading
  }
  const expire = async () => {
    try {
      await (await load()).expire()
    } catch (error) {
      deps.log.error('storage: expiring uploads failed', error)
    }
    timer = setTimeout(expire, EXPIRY_INTERVAL).unref()
  }
  let timer = setTimeout(expire, FIRST_EXPIRY).unref()
  return {
    serves: (pathname) => pathname === RESUMABLE_PATH || pathname.startsWith(`${RESUMABLE_PATH}/`),
    handle: async (request) => (await load()).handle(request),
    close: async () => {
      clearTimeout(timer)
      await (await loading)?.close()
    },
  }
}
