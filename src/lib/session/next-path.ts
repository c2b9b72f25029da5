/** Returns the path to go to after signing in, or home. Full addresses and lookalikes (`//elsewhere`, `/.//elsewhere`)
 *  are rejected: a link could redirect people right after they typed their password. */
export function nextPath(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/'
  const base = 'https://carrel.invalid'
  const url = URL.parse(next, base)
  return url?.origin === base && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : '/'
}

/** Returns the address for mailed links and providers. @param next The path to continue with. */
export const callbackUrl = (next: string): string => `${location.origin}/auth/callback?${new URLSearchParams({ next })}`
