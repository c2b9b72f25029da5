/** Why a join is refused or a channel closed; codes and texts are upstream's (ERROR_CODES.md, realtime_channel.ex). */
const CATALOGUE = {
  TopicNameRequired: 'You must provide a topic name',
  PrivateOnly: 'This project only allows private channels',
  ConnectionRateLimitReached: 'Too many connected users',
  ClientJoinRateLimitReached: 'Too many joins per second',
  ChannelRateLimitReached: 'Too many channels',
  InvalidJWTToken: 'Fields `role` and `exp` are required in JWT',
  MalformedJWT: 'The token provided is not a valid JWT',
  JwtSignatureError: 'Failed to validate JWT signature',
  Unauthorized: 'You do not have permissions to read from this Channel topic',
  MissingPartition: 'Realtime was unable to find the expected messages partition',
  UnableToConnectToProject: 'Realtime was unable to connect to the project database',
  UnableToReplayMessages: 'Realtime was unable to replay messages',
  UnknownErrorOnChannel: 'Unknown Error on Channel',
} as const satisfies Record<string, string>

export type ChannelErrorCode = keyof typeof CATALOGUE

/** A refusal that the subscriber reads: as `reason` of a refused join (with its code), or as the text of the `system`
 *  message before its channel is closed (without). */
export class ChannelError extends Error {
  readonly code: ChannelErrorCode

  /** @param message Where the catalogue's text wants a detail, such as the topic. */
  constructor(code: ChannelErrorCode, message: string = CATALOGUE[code], options?: ErrorOptions) {
    super(message, options)
    this.name = 'ChannelError'
    this.code = code
  }

  get reason(): string {
    return `${this.code}: ${this.message}`
  }
}
