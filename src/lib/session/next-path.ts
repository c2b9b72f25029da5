/** Where to go after signing in: a path on this site, or home. A full address, or one that a browser would read as
 *  such (`//elsewhere`, `/\elsewhere`), would let a link send people away right after they typed their password. */
export function nextPath(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/'
  const base = 'https://carrel.invalid'
  const url = URL.parse(next, base)
  return url?.origin === base ? url.pathname + url.search + url.hash : '/'
}
