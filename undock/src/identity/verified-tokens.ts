import type { Clock, Principal } from '../kernel/service.ts'

const CAPACITY = 1_000

/** Tokens whose signature was checked before: an ES256 check costs more than a read by key, and clients send the
 *  same token for an hour. The expiry is looked at each time. */
export class VerifiedTokens {
  readonly #principals = new Map<string, Principal>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(token: string): Principal | undefined {
    const principal = this.#principals.get(token)
    if (!principal) return undefined
    const { exp } = principal.claims
    if (typeof exp === 'number' && exp * 1_000 <= this.#clock.now().getTime()) {
      this.#principals.delete(token)
      return undefined
    }
    return principal
  }

  set(token: string, principal: Principal): void {
    if (this.#principals.size >= CAPACITY) {
      const [oldest] = this.#principals.keys()
      if (oldest !== undefined) this.#principals.delete(oldest)
    }
    this.#principals.set(token, principal)
  }
}
