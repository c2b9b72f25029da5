import { z } from 'zod'
import { limitedText } from '../_shared/http.ts'

/** Returns a name's TXT records, joined; none if the name doesn't exist. @throws if the lookup fails. */
export type LookUpTxt = (name: string) => Promise<string[]>

/** Used where the function can't resolve DNS itself, as on some platforms. */
const PUBLIC_RESOLVER = 'https://cloudflare-dns.com/dns-query'
const TIMEOUT = 5000
const MAX_RESPONSE_BYTES = 64 * 1024

const TXT = 16
const NO_ERROR = 0
const NO_SUCH_NAME = 3

const Answer = z.object({
  Status: z.int(),
  Answer: z.array(z.object({ type: z.int(), data: z.string() })).default([]),
})

/** @param resolver A DNS-over-HTTPS service with JSON responses; otherwise the machine's resolver is used. */
export function txtLookup(resolver: string | undefined): LookUpTxt {
  if (resolver) return overHttps(resolver)
  const publicly = overHttps(PUBLIC_RESOLVER)
  return async (name) => {
    try {
      const records = await Deno.resolveDns(name, 'TXT', { signal: AbortSignal.timeout(TIMEOUT) })
      return records.map((parts) => parts.join(''))
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return []
      console.warn(`TXT records of ${name}, by the machine's resolver:`, error)
      return publicly(name)
    }
  }
}

/** Uses the JSON API of DNS over HTTPS, which Cloudflare, Google and many resolvers support. */
const overHttps =
  (resolver: string): LookUpTxt =>
  async (name) => {
    const url = new URL(resolver)
    url.searchParams.set('name', name)
    url.searchParams.set('type', 'TXT')
    const response = await fetch(url, {
      headers: { accept: 'application/dns-json' },
      signal: AbortSignal.timeout(TIMEOUT),
    })
    const text = await limitedText(response.body, MAX_RESPONSE_BYTES)
    if (!response.ok) throw new Error(`The resolver answered with the status ${response.status}.`)
    if (text === null) throw new Error(`The answer of the resolver has more than ${MAX_RESPONSE_BYTES} bytes.`)
    const answer = Answer.parse(JSON.parse(text))
    if (answer.Status === NO_SUCH_NAME) return []
    if (answer.Status !== NO_ERROR) throw new Error(`The resolver answered with the DNS status ${answer.Status}.`)
    return answer.Answer.filter(({ type }) => type === TXT).map(({ data }) => unquoted(data))
  }

/** A long record comes in several quoted pieces; some resolvers omit the quotes. */
const unquoted = (data: string): string =>
  data.startsWith('"')
    ? Array.from(data.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, part = '']) => part.replaceAll(/\\(.)/g, '$1')).join('')
    : data
