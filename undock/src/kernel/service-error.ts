export type ServiceErrorOptions = {
  details?: unknown
  hint?: string | null
  headers?: Readonly<Record<string, string>>
  /** Goes to the log with the request's id, never to the client. */
  cause?: unknown
}

/** A refusal that the client is meant to see: the base class of every error that a service answers with. Each service
 *  has its own catalogue and renders it in one place, in upstream's shape. Any other thrown value is a bug and is
 *  answered with 500, without its text. */
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
