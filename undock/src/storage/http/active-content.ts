/** Types in which browsers run scripts when opened directly: HTML, SVG and other XML, and containers of HTML. */
const ACTIVE = /html|svg|[/+]xml|xsl|^multipart\/|rfc822|x-mimearchive/i

/** Such a document may only display itself, as with GitHub's raw files; `<img src>` isn't affected. Upstream sends no
 *  policy, because hosted files have their own domain; here they share the API's. */
const POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox"

/** Keeps uploaded content from running scripts on the API's origin. Call it last: it depends on the content type. */
export function guardContent(headers: Headers): void {
  headers.set('x-content-type-options', 'nosniff')
  if (ACTIVE.test(headers.get('content-type') ?? '')) headers.set('content-security-policy', POLICY)
  else headers.delete('content-security-policy')
}
