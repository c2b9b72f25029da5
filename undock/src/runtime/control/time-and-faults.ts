import { z } from 'zod'
import type { AdjustableClock } from '../../kernel/adjustable-clock.ts'
import { readJsonBody } from '../../kernel/request-body.ts'
import { ServiceError } from '../../kernel/service-error.ts'
import { SERVICES } from '../stack/options.ts'
import type { FaultSwitches } from './faults.ts'

/** The services' clock. @property now ISO 8601. @property offset Milliseconds ahead of the machine's. */
export type ClockState = { readonly now: string; readonly offset: number }

export const answerClock = (clock: AdjustableClock): Response =>
  Response.json({ now: clock.now().toISOString(), offset: clock.offset } satisfies ClockState)

const Advance = z.strictObject({ by: z.string().exactOptional() })

/** Advances the clock by a duration, or resets it to the machine's.
 *  @throws {ServiceError} 400, 422 */
export async function setClock(clock: AdjustableClock, request: Request): Promise<Response> {
  const { by } = await readJsonBody(request, Advance)
  try {
    if (by === undefined) clock.restore()
    else clock.advance(by)
  } catch (error) {
    if (error instanceof RangeError) throw new ServiceError('invalid_duration', 422, error.message, { cause: error })
    throw error
  }
  return answerClock(clock)
}

export const answerFaults = (faults: FaultSwitches): Response => Response.json(faults.state)

/** Coding agents are exempt from simulated failures. */
const Service = z.enum(SERVICES).exclude(['mcp'])
const MAX_DELAY_MS = 10 * 60_000

/** One change, named as in the test kit. */
export const FaultChange = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('delay'),
    service: Service,
    milliseconds: z.int().min(0).max(MAX_DELAY_MS),
  }),
  z.strictObject({
    do: z.literal('fail'),
    service: Service,
    status: z.int().min(400).max(599).exactOptional(),
    times: z.int().min(1).exactOptional(),
  }),
  z.strictObject({ do: z.literal('stop-failing'), service: Service }),
  z.strictObject({ do: z.literal('drop-sockets') }),
  z.strictObject({ do: z.literal('go-offline') }),
  z.strictObject({ do: z.literal('go-online') }),
  z.strictObject({ do: z.literal('clear') }),
])
export type FaultChange = z.infer<typeof FaultChange>

/** Turns a simulated failure on or off and returns all active ones. Going offline over the API's port cuts this
 *  response too; the console has its own port.
 *  @throws {ServiceError} 400 */
export async function setFaults(faults: FaultSwitches, request: Request): Promise<Response> {
  const change = await readJsonBody(request, FaultChange)
  switch (change.do) {
    case 'delay':
      faults.delay(change.service, change.milliseconds)
      break
    case 'fail': {
      const { do: _, service, ...failure } = change
      faults.fail(service, failure)
      break
    }
    case 'stop-failing':
      faults.stopFailing(change.service)
      break
    case 'drop-sockets':
      await faults.dropSockets()
      break
    case 'go-offline':
      await faults.goOffline()
      break
    case 'go-online':
      faults.goOnline()
      break
    case 'clear':
      faults.clear()
      break
  }
  return answerFaults(faults)
}
