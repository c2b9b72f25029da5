/** The parts of a request's URL, which is complete and valid already: this is cheaper than parsing it again.
 *  @returns both parts unchanged; `search` begins with its question mark, or is empty. */
export function splitUrl(url: string): { readonly pathname: string; readonly search: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const hash = url.indexOf('#', start)
  const end = hash === -1 ? url.length : hash
  const query = url.indexOf('?', start)
  if (query === -1 || query > end) return { pathname: url.slice(start, end), search: '' }
  return { pathname: url.slice(start, query), search: query + 1 === end ? '' : url.slice(query, end) }
}

/** How a database is connected to: one of this machine without TLS, unless its address asks for it. node-postgres would take PGSSLMODE
 *  from the environment, where people keep it for hosted databases. */
export const connectionTo = (url: string): { readonly connectionString: string; readonly ssl?: false } =>
  /^postgres(?:ql)?:\/\/(?:[^@/]*@)?(?:127\.|localhost|\[::1\]|%2F)/i.test(url)
    ? { connectionString: url, ssl: false }
    : { connectionString: url }
