import { isIP } from 'node:net'
import type { Config } from '../../config/config.ts'

export type RedirectRules = {
  /** The first of the requested URLs that is allowed, else the site's own URL. */
  choose(candidates: readonly (string | null)[]): string
  allows(url: string): boolean
}

/** The allow-list of `site_url` and `additional_redirect_urls`, which may change; the latter may hold globs.
 *  @see supabase/auth internal/utilities/request.go, IsRedirectURLValid */
export function createRedirectRules(
  config: Pick<Config['auth'], 'site_url' | 'additional_redirect_urls'>,
): RedirectRules {
  let globs: readonly string[] = []
  let patterns: readonly RegExp[] = []
  const patternsNow = (): readonly RegExp[] => {
    if (globs !== config.additional_redirect_urls) {
      globs = config.additional_redirect_urls
      patterns = globs.map(globToRegExp)
    }
    return patterns
  }
  const allows = (url: string): boolean => {
    const target = parseTarget(url)
    if (!target) return false
    const isWeb = target.protocol === 'http:' || target.protocol === 'https:'
    if (isWeb && !hasPlainHost(url, target) && writtenHost(url) !== writtenHost(config.site_url)) return false
    const site = URL.parse(config.site_url)
    if (site && isSameSite(site, target)) return true
    const address = target.hostname.replace(/^\[|\]$/g, '')
    // On loopback any program may listen; another scheme would open whichever app has taken it.
    if (isIP(address)) return isWeb && isLoopback(address)
    const [withoutFragment = ''] = url.split('#')
    return patternsNow().some((pattern) => pattern.test(withoutFragment))
  }
  return {
    allows,
    choose: (candidates) => candidates.find((url): url is string => url !== null && allows(url)) ?? config.site_url,
  }
}

/** Letters, digits, dots, hyphens and underscores, or an address of IPv6, as the browser reads them too: it makes other characters into
 *  some of these, so that a pattern, or another parser, would see another host than the one that is opened. */
function hasPlainHost(url: string, { hostname }: URL): boolean {
  const written = writtenHost(url)
  return (/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/.test(written) || written.startsWith('[')) && written === hostname
}

/** The host of a web address before a browser reads it; after a user name, which no redirect needs, it is another text. */
function writtenHost(url: string): string {
  const [, written = ''] = /^https?:\/\/(\[[^\]]*\]|[^/?#:]*)(?::\d*)?(?=[/?#]|$)/i.exec(url) ?? []
  return written.toLowerCase()
}

const SCRIPT_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'])

/** As a browser would read it. What browsers repair silently (controls, blanks, backslashes) is refused: a rule that
 *  matches the text must match what the browser opens. */
function parseTarget(url: string): URL | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (url === '' || /[\u0000-\u0020\u007f\\]/.test(url)) return null
  const target = URL.parse(url)
  return target && !SCRIPT_SCHEMES.has(target.protocol) ? target : null
}

/** Scheme, host and port; the port is free on loopback, as RFC 8252 §7.3 asks for native apps. */
function isSameSite(site: URL, target: URL): boolean {
  if (site.protocol !== target.protocol || site.hostname !== target.hostname) return false
  return site.port === target.port || target.hostname === 'localhost' || isLoopback(target.hostname)
}

const isLoopback = (host: string): boolean => host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/** The index after the host of a glob that begins with a scheme; 0 for other globs. */
function endOfHost(glob: string): number {
  const start = glob.indexOf('://') + 3
  const end = glob.indexOf('/', start)
  return start === 2 ? 0 : end === -1 ? glob.length : end
}

/** A character as a regular expression that matches it. */
const literal = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&')

/** Globs in the dialect of gobwas/glob with `.` and `/` as separators: `*` and `?` stop at a separator, `**` does not;
 *  `[abc]`, `[!abc]`, `[a-z]`, `{one,two}` and `\` to escape. A `*` or `**` before more of a host's name stays within the host:
 *  otherwise `https://*-preview.example/` would allow `https://evil?-preview.example/`. */
export function globToRegExp(glob: string): RegExp {
  const hostEnd = endOfHost(glob)
  let source = ''
  let braces = 0
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at)
    const set = /^\[(!?)([^\]]+)\]/.exec(rest)
    if (rest.startsWith('**')) {
      source += at + 2 < hostEnd ? '[^/?#@]*' : '.*'
      at += 1
    } else if (rest[0] === '*') source += at + 1 < hostEnd ? '[^./?#@]*' : '[^./]*'
    else if (rest[0] === '?') source += '[^./]'
    else if (rest[0] === '\\' && rest.length > 1) {
      source += literal(rest[1] ?? '')
      at += 1
    } else if (set) {
      source += `[${set[1] ? '^' : ''}${(set[2] ?? '').replace(/[\\^[\]]/g, '\\$&')}]`
      at += set[0].length - 1
    } else if (rest[0] === '{' && rest.includes('}')) {
      braces += 1
      source += '(?:'
    } else if (rest[0] === '}' && braces > 0) {
      braces -= 1
      source += ')'
    } else if (rest[0] === ',' && braces > 0) source += '|'
    else source += literal(rest[0] ?? '')
  }
  return new RegExp(`^${source}${')'.repeat(braces)}$`, 's')
}
