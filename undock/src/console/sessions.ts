import { randomBytes, timingSafeEqual } from 'node:crypto'

/** Milliseconds that `newCode`'s link is valid. */
const CODE_LIFETIME = 10 * 60_000

/** The console's sessions, which start with a one-time link. */
export type Sessions = {
  /** A code that `redeem` accepts once, within ten minutes. */
  newCode(): string
  redeem(code: string): boolean
  /** Returns the Set-Cookie header that starts a session. It ends with the stack or the browser. */
  readonly cookie: string
  /** Whether the request carries the session's cookie. */
  holds(request: Request): boolean
}

/** @param port Part of the cookie's name, because browsers send cookies to every port of a host. */
export function createSessions(port: number): Sessions {
  const name = `undock_console_${port}`
  const secret = randomBytes(32).toString('base64url')
  const codes = new Map<string, number>()
  return {
    newCode() {
      for (const [code, expiry] of codes) if (expiry < performance.now()) codes.delete(code)
      const code = randomBytes(24).toString('base64url')
      codes.set(code, performance.now() + CODE_LIFETIME)
      return code
    },
    redeem(code) {
      const expiry = codes.get(code)
      codes.delete(code)
      return expiry !== undefined && expiry >= performance.now()
    },
    cookie: `${name}=${secret}; Path=/; HttpOnly; SameSite=Strict`,
    holds: ({ headers }) =>
      (headers.get('cookie') ?? '').split(/;\s*/).some((pair) => {
        const [key, value = ''] = pair.split('=')
        return key === name && isEqual(value, secret)
      }),
  }
}

function isEqual(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}
