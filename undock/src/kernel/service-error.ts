/** An error whose text is meant for the user; any other error is a bug in undock. */
export class UserError extends Error {
  override readonly name: string = this.constructor.name
}

export type ServiceErrorOptions = {
  details?: unknown
  hint?: string | null
  headers?: Readonly<Record<string, string>>
  /** Logged with the request's id, never sent to the client. */
  cause?: unknown
}

/** Base class of every error meant for the client. Each service has its own catalogue and renders it in one place, in
 *  upstream's shape. Any other thrown value is a bug and becomes a 500 without its text. */
export class ServiceError extends Error {
  readonly code: string
  readonly status: number
  readonly details: unknown
  readonly hint: string | null
  readonly headers: Readonly<Record<string, string>>

  constructor(code: string, status: number, message: string, options: ServiceErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.status = status
    this.details = options.details ?? null
    this.hint = options.hint ?? null
    this.headers = options.headers ?? {}
  }
}
