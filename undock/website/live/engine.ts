import type { PGlite } from '@electric-sql/pglite'
import type { Notification } from '../../src/database/db.ts'
import { PROJECT_USER } from '../../src/database/engine-user.ts'
import { asUser } from '../../src/database/pglite/user-sessions.ts'
import { readAsyncMessages } from '../../src/database/protocol/frames.ts'
import { PreparedStatements } from '../../src/database/protocol/prepared-statements.ts'
import { runScript } from '../../src/database/protocol/run-script.ts'
import type { Engine, Session } from '../../src/database/session.ts'
import { createSerialQueue } from '../../src/kernel/serial-queue.ts'

/** undock's `Engine` on a PGlite of this thread. Unlike that of a stack it serves one person, whose database it is: its session stays
 *  that of a superuser, who takes other users by SET SESSION AUTHORIZATION. */
export function createBrowserEngine(database: PGlite): Engine {
  const inTurn = createSerialQueue()
  const handlers = new Set<(notification: Notification) => void>()
  const session: Session = {
    prepared: new PreparedStatements(),
    async exchange(bytes) {
      const response = await database.execProtocolRaw(bytes, { syncToFs: false })
      for (const one of readAsyncMessages(response).notifications) for (const handler of handlers) handler(one)
      return response
    },
  }
  const shared = { ...session, exchangeAs: (_user: number, bytes: Uint8Array) => session.exchange(bytes) }
  const withSessionOf: Engine['withSessionOf'] = (user, work) => inTurn(() => asUser(user, shared, work))

  return {
    isSuperuser: true,
    callerShare: Number.POSITIVE_INFINITY,
    waitLimit: Number.POSITIVE_INFINITY,
    exchangeOnce: (work) => inTurn(() => work(session)),
    withSession: (work) => inTurn(() => work(session)),
    withSessionOf,
    withProjectSession: (work) => withSessionOf(PROJECT_USER, work),
    runListen: (script) => inTurn(() => runScript(session, script)),
    flushNotifications: async () => undefined,
    onNotification(handler) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    // Nothing replaces the data of a page.
    onReopened: () => () => undefined,
    close: () => inTurn(() => database.close()),
  }
}
