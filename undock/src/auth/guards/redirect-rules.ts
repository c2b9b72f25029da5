import { isIP } from 'node:net'
import type { Config } from '../../config/config.ts'

export type RedirectRules = {
  /** Returns the first allowed candidate, otherwise the site's URL. */
  choose(candidates: readonly (string | null)[]): string
  allows(url: string): boolean
}

/** Creates the allow-list of `site_url` and `additional_redirect_urls`, which may change; the latter may contain globs.
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
    // Any program may listen on loopback; another scheme would open whichever app has registered it.
    if (isIP(address)) return isWeb && isLoopback(address)
    const [withoutFragment = ''] = url.split('#')
    return patternsNow().some((pattern) => pattern.test(withoutFragment))
  }
  return {
    allows,
    choose: (candidates) => candidates.find((url): url is string => url !== null && allows(url)) ?? config.site_url,
  }
}

/** Only letters, digits, dots, hyphens and underscores, or an IPv6 address: browsers convert other characters to these,
 *  so a pattern or another parser would see a different host than the one opened. */
function hasPlainHost(url: string, { hostname }: URL): boolean {
  const written = writtenHost(url)
  return (/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/.test(written) || written.startsWith('[')) && written === hostname
}

/** Returns the host as written, before a browser normalizes it; not a host if there's a user name. */
function writtenHost(url: string): string {
  const [, written = ''] = /^https?:\/\/(\[[^\]]*\]|[^/?#:]*)(?::\d*)?(?=[/?#]|$)/i.exec(url) ?? []
  return written.toLowerCase()
}

const SCRIPT_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'])

/** Refuses what browsers silently repair (control characters, blanks, backslashes): rules must match what they open. */
function parseTarget(url: string): URL | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (url === '' || /[\u0000-\u0020\u007f\\]/.test(url)) return null
  const target = URL.parse(url)
  return target && !SCRIPT_SCHEMES.has(target.protocol) ? target : null
}

/** Compares scheme, host and port; the port is free on loopback, as RFC 8252 §7.3 asks for native apps. */
function isSameSite(site: URL, target: URL): boolean {
  if (site.protocol !== target.protocol || site.hostname !== target.hostname) return false
  return site.port === target.port || target.hostname === 'localhost' || isLoopback(target.hostname)
}

const isLoopback = (host: string): boolean => host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

function endOfHost(glob: string): number {
  const start = glob.indexOf('://') + 3
  const end = glob.indexOf('/', start)
  return start === 2 ? 0 : end === -1 ? glob.length : end
}

const literal = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&')

/** Compiles globs in gobwas/glob's dialect, separated by `.` and `/`: `*` and `?` stop at a separator, `**` doesn't;
 *  `[abc]`, `[!abc]`, `[a-z]`, `{one,two}` and `\` to escape. A `*` or `**` before more of a host name stays within the
 *  host: otherwise `https://*-preview.example/` would allow `https://evil?-preview.example/`. */
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
