/** The database's own limit on an address. */
const LONGEST = 2048

/** What somebody typed or pasted as the address of a web page, without its fragment; undefined when it is none.
 *  Without a scheme it is taken for https. */
export function webAddress(typed: string): string | undefined {
  const text = typed.trim()
  if (text === '' || /\s/.test(text)) return undefined
  const scheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.exec(text)?.[0]
  if (scheme && !/^https?:$/i.test(scheme)) return undefined
  let url: URL
  try {
    url = new URL(scheme ? text : `https://${text}`)
  } catch {
    return undefined
  }
  if (url.username || url.password || !/[.:]|^localhost$/.test(url.hostname)) return undefined
  url.hash = ''
  return url.href.length <= LONGEST ? url.href : undefined
}
