import type { Log } from '../../kernel/service.ts'
import type { StorageCaller } from '../caller.ts'

/** Milliseconds until expired uploads are first removed, and between two runs. */
const FIRST_EXPIRY = 60 * 1000
const EXPIRY_INTERVAL = 60 * 60 * 1000

/** A part of storage that handles its own requests and removes abandoned uploads. */
export type LoadedService = {
  handle(request: Request, caller: StorageCaller): Promise<Response>
  expire(): Promise<void>
  close(): Promise<void>
}

export type LazyService = {
  handle(request: Request, caller: StorageCaller): Promise<Response>
  close(): Promise<void>
}

/** Loads a service's libraries at its first request, so that they don't delay the start. */
export function createLazyService(path: string, start: () => Promise<LoadedService>, log: Log): LazyService {
  let loading: Promise<LoadedService> | undefined
  const load = () => {
    loading ??= start().catch((error) => {
      // The next request retries: the folder may be writable by then.
      loading = undefined
      throw error
    })
    return loading
  }
  const expire = async () => {
    try {
      await (await load()).expire()
    } catch (error) {
      log.error('storage: expiring uploads failed', error, { path })
    }
    timer = setTimeout(expire, EXPIRY_INTERVAL).unref()
  }
  let timer = setTimeout(expire, FIRST_EXPIRY).unref()
  return {
    handle: async (request, caller) => (await load()).handle(request, caller),
    close: async () => {
      clearTimeout(timer)
      await (await loading)?.close()
    },
  }
}
