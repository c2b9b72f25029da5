import type { Connections } from '../../gateway/connections.ts'
import type { Mailer } from '../../kernel/mail-templates.ts'
import type { RequestHandler } from '../../kernel/service.ts'
import type { Faults } from './simulated-faults.ts'

export type FaultSwitches = Faults & {
  wrapHandler(name: string, handle: RequestHandler): RequestHandler
  wrapMailer(mailer: Mailer): Mailer
}

export function createFaults(connections: Connections): FaultSwitches {
  const delays = new Map<string, number>()
  const failures = new Map<string, { status: number; left: number }>()
  let isOffline = false
  const setOffline = (offline: boolean): void => {
    isOffline = offline
    connections.refuse(offline)
  }

  /** @returns the status to fail with, if any. */
  async function applyFaults(name: string): Promise<number | null> {
    const delay = delays.get(name)
    if (delay) await new Promise((resolve) => setTimeout(resolve, delay).unref())
    const failure = failures.get(name)
    if (!failure) return null
    failure.left -= 1
    if (failure.left <= 0) failures.delete(name)
    return failure.status
  }

  return {
    dropSockets: connections.drop,
    delay(service, milliseconds) {
      if (milliseconds > 0) delays.set(service, milliseconds)
      else delays.delete(service)
    },
    fail(service, { status = 503, times = Number.POSITIVE_INFINITY } = {}) {
      failures.set(service, { status, left: times })
    },
    stopFailing: (service) => void failures.delete(service),
    goOffline() {
      setOffline(true)
      return connections.drop()
    },
    goOnline: () => setOffline(false),
    clear() {
      delays.clear()
      failures.clear()
      setOffline(false)
    },
    get state() {
      return {
        isOffline,
        delays: Object.fromEntries(delays),
        failures: Object.fromEntries(
          [...failures].map(([name, { status, left }]) => [
            name,
            { status, times: Number.isFinite(left) ? left : null },
          ]),
        ),
      }
    },
    wrapHandler(name, handle) {
      return async (request, context) => {
        if (delays.size === 0 && failures.size === 0) return handle(request, context)
        const status = await applyFaults(name)
        if (status === null) return handle(request, context)
        return Response.json({ message: `The service "${name}" fails on purpose` }, { status })
      }
    },
    wrapMailer: ({ send }) => ({
      async send(mail) {
        const status = await applyFaults('mail')
        if (status !== null) throw new Error(`Mail fails on purpose, with ${status}`)
        return send(mail)
      },
    }),
  }
}
