import type { IncomingMessage } from 'node:http'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { type PlainUnreadableCode, Unreadable } from '../errors.ts'
import { findHost, type HostDeps, hostDeps, isAllowedHost, requestTo } from './public-host.ts'

export type Page = { readonly url: string; readonly mimeType: string; readonly bytes: Uint8Array }

export type WebDeps = HostDeps & {
  /** Milliseconds for the whole request, including redirects. */
  readonly timeout: number
  readonly mostBytes: number
}

const MAX_REDIRECTS = 5
const PORTS = new Set(['', '80', '443', '8080', '8443'])

type Wanted = {
  readonly accept: string
  readonly types: RegExp
  /** Whether everything must come from the address's host over https. */
  readonly fromHost?: true
}
const PAGES: Wanted = {
  accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8',
  types: /^(text\/html|application\/xhtml\+xml|text\/plain|text\/markdown|text\/csv|application\/pdf)$/,
}
const METADATA: Wanted = {
  accept: 'application/samlmetadata+xml,application/xml;q=0.9,text/xml;q=0.9,*/*;q=0.1',
  types: /^(application\/(samlmetadata\+xml|xml|octet-stream)|text\/(xml|plain|html))$/,
  fromHost: true,
}
const PICTURES: Wanted = { accept: 'image/webp,image/jpeg,image/png', types: /^image\/(webp|jpeg|png)$/ }

export const webDeps = (allowedHosts: string | undefined): WebDeps => ({
  ...hostDeps(allowedHosts),
  timeout: 20_000,
  mostBytes: 20 * 2 ** 20,
})

/** Fetches a public web page. Checks every address before connecting, also after redirects, and connects to the checked
 *  IP address itself, so that the name can't resolve to another one in between.
 *  @throws {Unreadable} with a message for the person who added the link. */
export const fetchPage = (address: string, deps: WebDeps): Promise<Page> => fetchPublic(address, PAGES, deps)

/** Like fetchPage, for a picture. The type is the site's claim; the bytes may differ. @throws {Unreadable} */
export const fetchPicture = (address: string, deps: WebDeps): Promise<Page> => fetchPublic(address, PICTURES, deps)

/** Like fetchPage, for an identity provider's metadata: only from the address's host, because that host speaks for the
 *  provider.
 *  @throws {Unreadable} */
export const fetchMetadata = (address: string, deps: WebDeps): Promise<Page> => fetchPublic(address, METADATA, deps)

async function fetchPublic(address: string, wanted: Wanted, deps: WebDeps): Promise<Page> {
  const stop = AbortSignal.timeout(deps.timeout)
  let url = parse(address, 'link_invalid')
  const { host } = url
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    if (wanted.fromHost && (url.host !== host || url.protocol !== 'https:')) throw new Unreadable('link_elsewhere')
    const answer = await get(url, wanted.accept, deps, stop)
    const status = answer.statusCode ?? 0
    if (status >= 300 && status < 400 && answer.headers.location) {
      answer.destroy()
      url = parse(answer.headers.location, 'link_redirects_nowhere', url)
      continue
    }
    if (status < 200 || status >= 300) {
      answer.destroy()
      throw unreadableBy(status)
    }
    const mimeType = (answer.headers['content-type'] ?? 'text/html').split(';')[0]?.trim().toLowerCase() ?? ''
    if (!wanted.types.test(mimeType)) {
      answer.destroy()
      throw new Unreadable('link_is_no_page', { found: mimeType || 'unknown' })
    }
    return { url: url.href, mimeType, bytes: await bytesOf(answer, deps, stop) }
  }
  throw new Unreadable('link_redirects_endlessly')
}

function parse(address: string, code: PlainUnreadableCode, from?: URL): URL {
  const url = URL.parse(address, from)
  if (!url) throw new Unreadable(code)
  return url
}

function unreadableBy(status: number): Unreadable {
  if (status === 404 || status === 410) return new Unreadable('page_missing')
  if (status === 401 || status === 403) return new Unreadable('page_needs_sign_in')
  return status === 429 ? new Unreadable('site_busy') : new Unreadable('site_failed', { status })
}

async function get(url: URL, accept: string, deps: WebDeps, stop: AbortSignal): Promise<IncomingMessage> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Unreadable('link_not_web')
  if (url.username || url.password) throw new Unreadable('link_with_password')
  if (!isAllowedHost(url, deps) && !PORTS.has(url.port)) throw new Unreadable('link_not_public')
  const target = await findHost(url, deps)
  if (target === 'unknown') throw new Unreadable('site_unknown')
  if (target === 'private') throw new Unreadable('link_not_public')

  const { request, answer } = requestTo(target, url, 'GET', {
    accept,
    'accept-encoding': 'gzip, br',
    'user-agent': 'Carrel/1.0 (keeps a readable copy for a reader who asked for it)',
  })
  const end = () => request.destroy(new Error('timeout'))
  stop.addEventListener('abort', end)
  request.end()
  if (stop.aborted) end()
  return await answer.catch((error) => Promise.reject(unreachable(error, stop)))
}

function unreachable(error: Error, stop: AbortSignal): Unreadable {
  console.warn('unfurl:', error.message)
  if (stop.aborted) return new Unreadable('site_slow')
  return new Unreadable('site_unreachable')
}

async function bytesOf(answer: IncomingMessage, { mostBytes }: WebDeps, stop: AbortSignal): Promise<Uint8Array> {
  const encoding = answer.headers['content-encoding']?.toLowerCase()
  const body =
    encoding === 'br'
      ? answer.pipe(createBrotliDecompress())
      : encoding === 'gzip' || encoding === 'deflate'
        ? answer.pipe(createUnzip())
        : answer
  const chunks: Uint8Array[] = []
  let size = 0
  const end = () => body.destroy(new Error('timeout'))
  stop.addEventListener('abort', end)
  try {
    for await (const chunk of body) {
      const bytes = chunk as Uint8Array
      size += bytes.length
      // Counted after decompression: a small response may expand to gigabytes.
      if (size > mostBytes) {
        throw new Unreadable('page_too_large', { size: mostBytes / 2 ** 20 })
      }
      chunks.push(bytes)
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error
    throw unreachable(error instanceof Error ? error : new Error(String(error)), stop)
  } finally {
    answer.destroy()
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
