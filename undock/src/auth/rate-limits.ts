import { isIP } from 'node:net'
import type { Clock } from '../kernel/service.ts'
import type { AuthConfig } from './deps.ts'
import { authError } from './errors.ts'

/** What is limited per caller's address, and the two kinds of messages that are limited altogether. */
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

/** Addresses that a limit remembers before it forgets those that have waited longest. */
const MAX_ADDRESSES = 10_000

/** The limits of `[auth.rate_limit]`. Requests from this machine itself are not counted: `supabase start` tells its
 *  Auth no client address either, so a test suite that signs up a hundred users works on both. Likewise the limit on
 *  mails needs a real SMTP server and confirmations, as the CLI says of `email_sent`.
 *  @see supabase/auth internal/api/apilimiter/apilimiter.go */
export function createRateLimits(config: AuthConfig, clock: Clock): RateLimits {
  const { rate_limit: rates } = config
  const otp = () => perAddress(rates.sign_in_sign_ups, FIVE_MINUTES, BURST, clock)
  const requests: Record<RequestLimit, PerAddress> = {
    anonymous: perAddress(rates.anonymous_users, HOUR, rates.anonymous_users, clock),
    token: perAddress(rates.token_refresh, FIVE_MINUTES, BURST, clock),
    verify: perAddress(rates.token_verifications, FIVE_MINUTES, BURST, clock),
    web3: perAddress(rates.web3, FIVE_MINUTES, BURST, clock),
    factorVerify: perAddress(15, MINUTE, BURST, clock),
    factorChallenge: perAddress(15, MINUTE, BURST, clock),
    passkey: perAddress(30, FIVE_MINUTES, BURST, clock),
    sso: perAddress(30, FIVE_MINUTES, BURST, clock),
    samlAssertion: perAddress(15, FIVE_MINUTES, BURST, clock),
    oauthClientRegister: perAddress(10, FIVE_MINUTES, BURST, clock),
    signup: otp(),
    recover: otp(),
    resend: otp(),
    magiclink: otp(),
    otp: otp(),
    user: otp(),
  }
  const mails = new Bucket(rates.email_sent / HOUR, rates.email_sent)
  const messages = new Bucket(rates.sms_sent / HOUR, rates.sms_sent)
  return {
    takeRequest(limit, address) {
      if (!isLocal(address) && !requests[limit](address)) throw authError('requestRate')
    },
    takeMail() {
      // A limit of none holds in any case.
      const counts = config.email.enable_confirmations || rates.email_sent === 0
      const limited = config.email.smtp?.enabled === true && counts
      if (limited && !mails.take(clock.now())) throw authError('mailRate')
    },
    takeSms() {
      if (config.sms.enable_confirmations && !messages.take(clock.now())) throw authError('smsRate')
    },
  }
}

type PerAddress = (address: string) => boolean

function perAddress(events: number, seconds: number, burst: number, clock: Clock): PerAddress {
  const buckets = new Map<string, Bucket>()
  return (address) => {
    const bucket = buckets.get(address) ?? new Bucket(events / seconds, burst)
    // Set anew each time, so that the map's order is that of last use.
    buckets.delete(address)
    buckets.set(address, bucket)
    const [oldest] = buckets.keys()
    if (buckets.size > MAX_ADDRESSES && oldest !== undefined) buckets.delete(oldest)
    return bucket.take(clock.now())
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
    const elapsed = Math.max(0, now.getTime() - (this.#at ?? now.getTime())) / 1000
    this.#at = now.getTime()
    this.#tokens = Math.min(this.#size, this.#tokens + elapsed * this.#perSecond)
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}

/** This machine, or a caller whose address is not known. */
function isLocal(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '')
  return isIP(plain) === 0 || plain === '::1' || plain.startsWith('127.')
}
