import { ServiceError, type ServiceErrorOptions } from '../kernel/service-error.ts'

/** Reasons for refusing a handshake or join, or closing a channel, with the handshake's status. Codes and texts are
 *  upstream's (ERROR_CODES.md, realtime_channel.ex). */
const CATALOGUE = {
  TopicNameRequired: [400, 'You must provide a topic name'],
  PrivateOnly: [403, 'This project only allows private channels'],
  ClientJoinRateLimitReached: [429, 'Too many joins per second'],
  ChannelRateLimitReached: [429, 'Too many channels'],
  InvalidJWTToken: [401, 'Fields `role` and `exp` are required in JWT'],
  MalformedJWT: [401, 'The token provided is not a valid JWT'],
  JwtSignatureError: [401, 'Failed to validate JWT signature'],
  Unauthorized: [403, 'You do not have permissions to read from this Channel topic'],
  MissingPartition: [422, 'Realtime was unable to find the expected messages partition'],
  UnableToConnectToProject: [503, 'Realtime was unable to connect to the project database'],
  UnableToReplayMessages: [422, 'Realtime was unable to replay messages'],
  RealtimeDisabledForConfiguration: [422, 'Unable to subscribe to changes with given parameters'],
  PostgresChangesSubscribeTimeout: [504, 'Timed out waiting for the postgres_changes subscription'],
  UnknownErrorOnChannel: [500, 'Unknown Error on Channel'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ChannelErrorCode = keyof typeof CATALOGUE

/** A refusal shown to the subscriber: the `reason` of a refused join (with its code), or the text of the `system`
 *  message before its channel closes (without). */
export class ChannelError extends ServiceError {
  declare readonly code: ChannelErrorCode
  override readonly name = 'ChannelError'

  /** @param message Overrides the catalogue's text, to include details such as the topic. */
  constructor(code: ChannelErrorCode, message: string = CATALOGUE[code][1], options?: ServiceErrorOptions) {
    super(code, CATALOGUE[code][0], message, options)
  }

  get reason(): string {
    return `${this.code}: ${this.message}`
  }
}

/** SQLSTATE classes and codes worth retrying: lost connection, deadlock, insufficient resources, server restart, lock
 *  timeout. */
const TRANSIENT = /^(08|40|53|57P|55P03)/

/** Returns whether a retry may succeed because the server's state, not the statement, caused the error. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string }
  if (typeof code !== 'string') return false
  // Other codes come from Node.js sockets.
  if (!/^[0-9A-Z]{5}$/.test(code)) return true
  return TRANSIENT.test(code) || (code === 'XX000' && /^tuple concurrently/.test(message ?? ''))
}
