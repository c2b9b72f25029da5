const URL_ATTRIBUTE = /^(?:href|src|action|formaction|background|poster|cite)$/i

/** Escapes a value for the place it lands in, as html/template does: markup in text and attributes, and in an
 *  attribute that holds a URL also the URL's own characters (a part after `?` or `#` may not start a new one) and
 *  schemes that would run a script.
 *  @param before All that is written before the value. */
export function escapeFor(before: string, value: unknown): string {
  const text = plain(value)
  const attribute = openAttribute(before)
  if (attribute === null) return escapeHtml(text)
  // Without quotes a blank would end the value, and what follows would be an attribute of its own.
  if (!attribute.isQuoted && !URL_ATTRIBUTE.test(attribute.name)) {
    return escapeHtml(text).replace(/[\s=`]/g, (character) => `&#${character.charCodeAt(0)};`)
  }
  if (!URL_ATTRIBUTE.test(attribute.name)) return escapeHtml(text)
  if (/[?#]/.test(attribute.value)) return escapeHtml(encodeURIComponent(text))
  const isStart = attribute.value.trim() === ''
  if (isStart && /^[^/?#]*:/.test(text) && !/^(?:https?|mailto|tel):/i.test(text) && !isAppScheme(text))
    return '#ZgotmplZ'
  return escapeHtml(normalizeUrl(text))
}

/** Links into an app (`com.example://…`) are what redirects of native clients look like. */
function isAppScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !/^(?:javascript|vbscript|data):/i.test(text)
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '\0': '\ufffd',
}

const escapeHtml = (text: string): string => text.replace(/[&<>"'\0]/g, (character) => ENTITIES[character] ?? '')

/** Percent-encodes what may not be in a URL and leaves what is encoded already. */
const normalizeUrl = (text: string): string =>
  text.replace(/[^\w.~!*'();:@&=+$,/?#[\]%-]/gu, (character) => encodeURIComponent(character.toWellFormed()))

/** The attribute whose value is being written, if one is. */
function openAttribute(before: string): { name: string; value: string; isQuoted: boolean } | null {
  const tag = /<[a-z][^\s>/]*((?:[^>"']|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?)$/i.exec(
    before.slice(before.lastIndexOf('<')),
  )
  const open = tag && /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)|'([^']*)|([^\s"'>]*))$/.exec(tag[1] ?? '')
  if (!open) return null
  const quoted = open[2] ?? open[3]
  return { name: open[1] ?? '', value: quoted ?? open[4] ?? '', isQuoted: quoted !== undefined }
}
