import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { findCaller } from '../access/callers.ts'
import { AccessQuestionError } from '../access/explanation.ts'
import { handshakeOf, refuseUpgrade } from '../kernel/node-http.ts'
import type { Log, UpgradeHandler } from '../kernel/service.ts'
import { type CallerDeps, tokenFor } from './caller-key.ts'
import { isOwnSocket } from './guard.ts'
import type { Sessions } from './sessions.ts'

export type RealtimeSocketsOptions = CallerDeps & {
  /** The console's listening address. */
  readonly host: string
  readonly sessions: Sessions
  /** Handles Realtime's sockets; null without Realtime. */
  readonly joinRealtime: UpgradeHandler | null
  readonly log: Log
}

/** Forwards the console page's WebSockets to Realtime, so that it needs no key and no other origin. */
export type RealtimeSockets = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes all sockets, which would keep the server open. */
  close(): void
}

export const REALTIME_PATH = '/api/realtime/websocket'
/** A caller's token lifetime in seconds. Realtime closes a channel when it expires, so it lasts a working day. */
const TOKEN_LIFETIME = 24 * 60 * 60

export function createRealtimeSockets(options: RealtimeSocketsOptions): RealtimeSockets {
  const { joinRealtime, log } = options
  const open = new Set<Duplex>()

  async function join(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const request = handshakeOf(incoming)
    if (!request) return refuseUpgrade(socket, 400)
    const { pathname, searchParams } = new URL(request.url)
    if (!isOwnSocket(request, options)) return refuseUpgrade(socket, 403)
    if (pathname !== REALTIME_PATH || !joinRealtime) return refuseUpgrade(socket, 404)
    const apikey = await credentialOf(searchParams.get('as'))
    incoming.url = `/realtime/v1/websocket?${new URLSearchParams({ vsn: searchParams.get('vsn') ?? '2.0.0', apikey })}`
    joinRealtime(incoming, socket, head)
  }

  /** @throws {AccessQuestionError} */
  async function credentialOf(as: string | null): Promise<string> {
    if (as === null) return options.identity.keys.secret
    if (as === 'anon') return options.identity.keys.publishable
    return tokenFor(await findCaller(options.db, as), options, TOKEN_LIFETIME)
  }

  return {
    upgrade(incoming, socket, head) {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      socket.on('error', () => socket.destroy())
      join(incoming, socket, head).catch((error) => {
        // The page checks the caller before it connects, because pages can't read why a socket is refused.
        if (!(error instanceof AccessQuestionError)) log.error('The console failed to connect to Realtime', error)
        refuseUpgrade(socket, error instanceof AccessQuestionError ? 422 : 500)
      })
    },
    close() {
      for (const socket of open) socket.destroy()
    },
  }
}
