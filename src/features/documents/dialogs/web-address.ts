/** The database's own limit on an address. */
const LONGEST = 2048

/** Parses a typed or pasted address of a web page and drops its fragment. https is assumed where the scheme is missing.
 *  @returns undefined when the text is no such address. */
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
