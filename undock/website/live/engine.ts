import type { PGlite } from '@electric-sql/pglite'
import { createOneSession } from '../../src/database/pglite/one-session.ts'
import type { Engine } from '../../src/database/session.ts'

/** undock's `Engine` on a PGlite of this thread. */
export const createBrowserEngine = (database: PGlite): Engine =>
  createOneSession({
    exchange: (bytes) => database.execProtocolRaw(bytes, { syncToFs: false }),
    close: () => database.close(),
  })
