/** Types that a browser runs scripts in when they are opened by their address: HTML, SVG and whatever else is XML, and
 *  the containers that may hold HTML. */
const ACTIVE = /html|svg|[/+]xml|xsl|^multipart\/|rfc822|x-mimearchive/i

/** What such a document may still do: show itself. GitHub answers raw files with a policy like this one; images in it
 *  (`<img src>`) look as before. Upstream sends none: hosted files have a domain of their own, here they share the API's. */
const POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox"

/** Prevents uploaded content from running scripts on the API's origin. Call it last, because the content type decides. */
export function guardContent(headers: Headers): void {
  headers.set('x-content-type-options', 'nosniff')
  if (ACTIVE.test(headers.get('content-type') ?? '')) headers.set('content-security-policy', POLICY)
  else headers.delete('content-security-policy')
}
