import type { Clock, Principal } from '../kernel/service.ts'

const MAX_TOKENS = 1_000

/** A cache of tokens with a verified signature. Verifying ES256 takes longer than a read by key, and clients send the same token for
 *  an hour. The expiry is checked each time. */
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
    if (this.#principals.size >= MAX_TOKENS) {
      const [oldest] = this.#principals.keys()
      if (oldest !== undefined) this.#principals.delete(oldest)
    }
    this.#principals.set(token, principal)
  }
}
