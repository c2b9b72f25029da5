import type { TransactionStatus } from '../protocol/exchange.ts'
import { encodeMessage } from '../protocol/frames.ts'

export type ErrorFields = {
  readonly severity: 'ERROR' | 'FATAL'
  readonly code: string
  readonly message: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
}

export const encodeError = ({ severity, code, message, detail, hint }: ErrorFields): Buffer =>
  encodeMessage('E', ...encodeFields({ S: severity, V: severity, C: code, M: message, D: detail, H: hint }))

/** A notice, which clients take at any time. */
export const encodeNotice = (message: string, hint: string): Buffer =>
  encodeMessage('N', ...encodeFields({ S: 'NOTICE', V: 'NOTICE', C: '00000', M: message, H: hint }))

const encodeFields = (fields: Readonly<Record<string, string | undefined>>): (string | Buffer)[] => [
  ...Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}${value}`])),
  Buffer.from([0]),
]

export const encodeReady = (status: TransactionStatus): Buffer => encodeMessage('Z', Buffer.from(status))
export const encodeParameter = (name: string, value: string): Buffer => encodeMessage('S', name, value)
export const encodeKeyData = (processId: number, secret: number): Buffer =>
  encodeMessage('K', int32(processId), int32(secret))

export const encodeNotification = (processId: number, channel: string, payload: string): Buffer =>
  encodeMessage('A', int32(processId), channel, payload)

/** Offers an older minor version than the client asked for, without unknown options. */
export const encodeNegotiation = (minor: number, unknown: readonly string[]): Buffer =>
  encodeMessage('v', int32(minor), int32(unknown.length), ...unknown)

export const AUTHENTICATED: Buffer = encodeMessage('R', int32(0))
export const encodeSaslOffer = (mechanism: string): Buffer => encodeMessage('R', int32(10), mechanism, Buffer.from([0]))
export const encodeSaslContinue = (data: string): Buffer => encodeMessage('R', int32(11), Buffer.from(data))
export const encodeSaslFinal = (data: string): Buffer => encodeMessage('R', int32(12), Buffer.from(data))

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
