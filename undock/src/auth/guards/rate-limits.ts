import { isIP } from 'node:net'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../kernel/service.ts'
import { authError } from '../errors.ts'

/** Requests are limited per client address; mails and text messages are limited for the whole project. */
export type RequestLimit =
  | 'anonymous'
  | 'token'
  | 'verify'
  | 'web3'
  | 'factorVerify'
  | 'factorChallenge'
  | 'passkey'
  | 'sso'
  | 'samlAssertion'
  | 'oauthClientRegister'
  | OtpLimit
type OtpLimit = 'signup' | 'recover' | 'resend' | 'magiclink' | 'otp' | 'user'

export type RateLimits = {
  /** @throws `over_request_rate_limit` */
  takeRequest(limit: RequestLimit, address: string): void
  /** Checks the limit on wrong codes for clients that `takeRequest` does not limit and for codes that name no account.
   *  @throws `over_request_rate_limit` */
  checkWrongCodes(address: string): void
  /** Counts a wrong code. */
  countWrongCode(address: string): void
  /** Counts an attempt at a user's second factors, whichever address it came from.
   *  @throws `over_request_rate_limit`
   *  @returns a function that takes the attempt back after a correct answer. */
  takeFactorAttempt(userId: string): () => void
  /** @throws `over_email_send_rate_limit` */
  takeMail(): void
  /** @throws `over_sms_send_rate_limit` */
  takeSms(): void
}

const MINUTE = 60
const FIVE_MINUTES = 300
const HOUR = 3600

/** Upstream's burst for every limit that config.toml names no burst for. */
const BURST = 30

/** Addresses that a limit remembers at most; beyond this the least recently used one is dropped. */
const MAX_ADDRESSES = 10_000

/** Wrong answers to all factors of a user within five minutes: a code of an authenticator app stays valid after a wrong answer,
 *  and a phone gets another code every few seconds. */
const FACTOR_TRIES = 10

/** The limits of `[auth.rate_limit]`. Requests from this machine itself are not counted: `supabase start` tells its
 *  Auth no client address either, so a test suite that signs up a hundred users works on both. Wrong codes are
 *  counted for every address, so that codes cannot be guessed. Likewise the limit on
 *  mails needs a real SMTP server and confirmations, as the CLI says of `email_sent`.
 *  @see supabase/auth internal/api/apilimiter/apilimiter.go */
export function createRateLimits(config: Config['auth'], clock: Clock): RateLimits {
  const { rate_limit: rates } = config
  const otp = () => perAddress(rates.sign_in_sign_ups, FIVE_MINUTES, BURST)
  const requests: Record<RequestLimit, PerAddress> = {
    anonymous: perAddress(rates.anonymous_users, HOUR, rates.anonymous_users),
    token: perAddress(rates.token_refresh, FIVE_MINUTES, BURST),
    verify: perAddress(rates.token_verifications, FIVE_MINUTES, BURST),
    web3: perAddress(rates.web3, FIVE_MINUTES, BURST),
    factorVerify: perAddress(15, MINUTE, BURST),
    factorChallenge: perAddress(15, MINUTE, BURST),
    passkey: perAddress(30, FIVE_MINUTES, BURST),
    sso: perAddress(30, FIVE_MINUTES, BURST),
    samlAssertion: perAddress(15, FIVE_MINUTES, BURST),
    oauthClientRegister: perAddress(10, FIVE_MINUTES, BURST),
    signup: otp(),
    recover: otp(),
    resend: otp(),
    magiclink: otp(),
    otp: otp(),
    user: otp(),
  }
  const guesses = perAddress(rates.token_verifications, FIVE_MINUTES, BURST)
  const factorTries = perAddress(FACTOR_TRIES, FIVE_MINUTES, FACTOR_TRIES)
  const mails = new Bucket(rates.email_sent / HOUR, rates.email_sent)
  const messages = new Bucket(rates.sms_sent / HOUR, rates.sms_sent)
  return {
    takeRequest(limit, address) {
      if (!isLocal(address) && !requests[limit](address).take(clock.now())) throw authError('requestRate')
    },
    checkWrongCodes(address) {
      if (isLocal(address) && !guesses(LOCAL).has(clock.now())) throw authError('requestRate')
    },
    countWrongCode(address) {
      if (isLocal(address)) guesses(LOCAL).force(clock.now())
    },
    takeFactorAttempt(userId) {
      const tries = factorTries(userId)
      if (!tries.take(clock.now())) throw authError('requestRate')
      return () => tries.giveBack()
    },
    takeMail() {
      // A limit of zero applies in any case.
      const counts = config.email.enable_confirmations || rates.email_sent === 0
      const limited = config.email.smtp?.enabled === true && counts
      if (limited && !mails.take(clock.now())) throw authError('mailRate')
    },
    takeSms() {
      if (config.sms.enable_confirmations && !messages.take(clock.now())) throw authError('smsRate')
    },
  }
}

/** One key for all addresses of this machine, which has millions of them (127.0.0.0/8). */
const LOCAL = 'local'

type PerAddress = (address: string) => Bucket

function perAddress(events: number, seconds: number, burst: number): PerAddress {
  const buckets = new Map<string, Bucket>()
  return (address) => {
    const bucket = buckets.get(address) ?? new Bucket(events / seconds, burst)
    // Deleted and set again, so that the map is ordered by last use.
    buckets.delete(address)
    buckets.set(address, bucket)
    const [oldest] = buckets.keys()
    if (buckets.size > MAX_ADDRESSES && oldest !== undefined) buckets.delete(oldest)
    return bucket
  }
}

/** A token bucket: full at first, refilled evenly. */
export class Bucket {
  readonly #perSecond: number
  readonly #size: number
  #tokens: number
  #at: number | null = null

  constructor(perSecond: number, size: number) {
    this.#perSecond = perSecond
    this.#size = size
    this.#tokens = size
  }

  take(now: Date): boolean {
    if (!this.has(now)) return false
    this.#tokens -= 1
    return true
  }

  /** Whether `take` would succeed. */
  has(now: Date): boolean {
    const elapsed = Math.max(0, now.getTime() - (this.#at ?? now.getTime())) / 1000
    this.#at = now.getTime()
    this.#tokens = Math.min(this.#size, this.#tokens + elapsed * this.#perSecond)
    return this.#tokens >= 1
  }

  /** Takes a token even when none is left, down to minus the bucket's size: requests that arrived at once are paid for later. */
  force(now: Date): void {
    this.has(now)
    this.#tokens = Math.max(-this.#size, this.#tokens - 1)
  }

  giveBack(): void {
    this.#tokens = Math.min(this.#size, this.#tokens + 1)
  }
}

/** This machine, or a caller whose address is not known. */
function isLocal(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '')
  return isIP(plain) === 0 || plain === '::1' || plain.startsWith('127.')
}
