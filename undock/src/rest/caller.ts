import type { Principal } from '../kernel/service.ts'

/** Who sends a request, with the headers that its transaction can read. */
export type RestCaller = {
  readonly principal: Principal
  readonly headers: Headers
  /** The headers as they arrived, names and values in turn; null when the request did not arrive by a socket. */
  readonly rawHeaders: readonly string[] | null
}
