import { isIP, isIPv6 } from 'node:net'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../kernel/service.ts'
import { isLoopback } from '../../kernel/url.ts'
import { authError } from '../errors.ts'
import type { BucketLimit, Buckets } from './buckets.ts'

/** @param frequency Seconds between two messages to a user. @throws `over_email_send_rate_limit` */
export function checkMailFrequency(sentAt: Date | null, frequency: number, now: Date): void {
  const seconds = secondsLeft(sentAt, frequency, now)
  if (seconds > 0) throw authError('mailTooSoon', [Math.trunc(seconds)])
}

export function checkSmsFrequency(sentAt: Date | null, frequency: number, now: Date): void {
  const seconds = secondsLeft(sentAt, frequency, now)
  if (seconds > 0) throw authError('smsTooSoon', [Math.trunc(seconds)])
}

const secondsLeft = (sentAt: Date | null, frequency: number, now: Date): number =>
  sentAt === null ? 0 : (sentAt.getTime() - now.getTime()) / 1000 + frequency

/** Requests are limited per client address; mails and text messages for the whole project. */
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
  | 'signup'
  | 'recover'
  | 'resend'
  | 'magiclink'
  | 'otp'
  | 'user'
type Rates = Config['auth']['rate_limit']

export type RateLimits = {
  /** @throws `over_request_rate_limit` */
  takeRequest(limit: RequestLimit, address: string): Promise<void>
  /** Checks the limit on wrong codes, for clients that `takeRequest` doesn't limit and for codes that name no account.
   *  @throws `over_request_rate_limit` */
  checkWrongCodes(address: string): Promise<void>
  countWrongCode(address: string): Promise<void>
  /** Counts an attempt at a user's second factors, from any address.
   *  @returns a function that takes the attempt back after a correct answer. @throws `over_request_rate_limit` */
  takeFactorAttempt(userId: string): Promise<() => Promise<void>>
  /** @throws `over_email_send_rate_limit` */
  takeMail(): Promise<void>
  /** @throws `over_sms_send_rate_limit` */
  takeSms(): Promise<void>
}

const MINUTE = 60
const FIVE_MINUTES = 300
const HOUR = 3600

/** Upstream's burst for limits without one in config.toml. */
const BURST = 30

/** Wrong answers to all of a user's factors in five minutes: an authenticator app's code stays valid after a wrong
 *  answer, and a phone gets another code every few seconds. */
const FACTOR_TRIES = 10

/** Creates the limits of `[auth.rate_limit]`. As the CLI documents, mails are only limited with SMTP and confirmations.
 *  @param exemptsLoopback Whether requests from this machine aren't counted, except for wrong codes. `supabase start`
 *  gives its Auth no client address either, so a test suite that signs up a hundred users works on both.
 *  @see supabase/auth internal/api/apilimiter/apilimiter.go */
export function createRateLimits(
  config: Config['auth'],
  buckets: Buckets,
  clock: Clock,
  exemptsLoopback: boolean,
): RateLimits {
  const isExempt = (address: string): boolean => exemptsLoopback && isLocal(address)
  const limitOf = (name: string, events: number, seconds: number, size = BURST): BucketLimit => ({
    name,
    size,
    perSecond: events / seconds,
  })
  const requestLimits = (rates: Rates): Record<RequestLimit, BucketLimit> => ({
    anonymous: limitOf('anonymous', rates.anonymous_users, HOUR, rates.anonymous_users),
    token: limitOf('token', rates.token_refresh, FIVE_MINUTES),
    verify: limitOf('verify', rates.token_verifications, FIVE_MINUTES),
    web3: limitOf('web3', rates.web3, FIVE_MINUTES),
    factorVerify: limitOf('factorVerify', 15, MINUTE),
    factorChallenge: limitOf('factorChallenge', 15, MINUTE),
    passkey: limitOf('passkey', 30, FIVE_MINUTES),
    sso: limitOf('sso', 30, FIVE_MINUTES),
    samlAssertion: limitOf('samlAssertion', 15, FIVE_MINUTES),
    oauthClientRegister: limitOf('oauthClientRegister', 10, FIVE_MINUTES),
    signup: limitOf('signup', rates.sign_in_sign_ups, FIVE_MINUTES),
    recover: limitOf('recover', rates.sign_in_sign_ups, FIVE_MINUTES),
    resend: limitOf('resend', rates.sign_in_sign_ups, FIVE_MINUTES),
    magiclink: limitOf('magiclink', rates.sign_in_sign_ups, FIVE_MINUTES),
    otp: limitOf('otp', rates.sign_in_sign_ups, FIVE_MINUTES),
    user: limitOf('user', rates.sign_in_sign_ups, FIVE_MINUTES),
  })
  let counted: Rates | null = null
  let requests: Record<RequestLimit, BucketLimit>
  const requestLimit = (limit: RequestLimit): BucketLimit => {
    if (counted !== config.rate_limit) {
      counted = config.rate_limit
      requests = requestLimits(counted)
    }
    return requests[limit]
  }
  const guesses = () => limitOf('guesses', config.rate_limit.token_verifications, FIVE_MINUTES)
  const factorTries = limitOf('factorTries', FACTOR_TRIES, FIVE_MINUTES, FACTOR_TRIES)
  const hourly = (name: string, most: number) => limitOf(name, most, HOUR, most)
  return {
    async takeRequest(limit, address) {
      if (isExempt(address) || (await buckets.take(requestLimit(limit), clientOf(address), clock.now()))) return
      throw authError('requestRate')
    },
    async checkWrongCodes(address) {
      if (isExempt(address) && !(await buckets.has(guesses(), LOCAL, clock.now()))) throw authError('requestRate')
    },
    async countWrongCode(address) {
      if (isExempt(address)) await buckets.force(guesses(), LOCAL, clock.now())
    },
    async takeFactorAttempt(userId) {
      if (!(await buckets.take(factorTries, userId, clock.now()))) throw authError('requestRate')
      return () => buckets.giveBack(factorTries, userId, clock.now())
    },
    async takeMail() {
      const { email_sent } = config.rate_limit
      // A limit of zero always applies.
      const counts = config.email.enable_confirmations || email_sent === 0
      const limited = config.email.smtp?.enabled === true && counts
      if (limited && !(await buckets.take(hourly('mails', email_sent), PROJECT, clock.now())))
        throw authError('mailRate')
    },
    async takeSms() {
      const messages = hourly('messages', config.rate_limit.sms_sent)
      if (config.sms.enable_confirmations && !(await buckets.take(messages, PROJECT, clock.now())))
        throw authError('smsRate')
    },
  }
}

const PROJECT = ''
/** One key for all of this machine's addresses (127.0.0.0/8). */
const LOCAL = 'local'

const isLocal = (address: string): boolean => isIP(address) === 0 || isLoopback(address)

/** A client is an IPv4 address or an IPv6 /64, which a provider assigns to one customer. */
function clientOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isLocal(plain)) return LOCAL
  if (!isIPv6(plain)) return plain
  const [head = '', tail = ''] = new URL(`http://[${plain.replace(/%.*/, '')}]`).hostname.slice(1, -1).split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail.split(':').filter(Boolean)
  return [...before, ...Array(8 - before.length - after.length).fill('0'), ...after].slice(0, 4).join(':')
}
