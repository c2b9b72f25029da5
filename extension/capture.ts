export type Captured = {
  title: string
  url: string
  /** The selection, or ''. */
  quote: string
  /** The page as shown; '' if it has no text (the PDF viewer) or exceeds the limit. */
  html: string
}

/** Runs in the captured page. Must be self-contained: the browser sends its source there. */
export function capture(): Captured {
  const MAX_LENGTH = 20_000_000
  const copy = document.documentElement.cloneNode(true) as HTMLElement
  // Don't capture what the person has typed.
  for (const part of copy.querySelectorAll(
    'script, noscript, style, template, iframe, object, embed, input, textarea, select',
  ))
    part.remove()
  // The copy has another base URL.
  for (const [selector, name] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const) {
    for (const element of copy.querySelectorAll(selector)) {
      const address = element.getAttribute(name) ?? ''
      if (!address.startsWith('#') && URL.canParse(address, document.baseURI))
        element.setAttribute(name, new URL(address, document.baseURI).href)
    }
  }
  const html = `<!doctype html>${copy.outerHTML}`
  const isPage = copy.querySelector('body')?.textContent.trim() && html.length <= MAX_LENGTH
  return {
    title: document.title,
    // Without the fragment, except for those that identify a page.
    url: location.href.replace(/#(?![!/]).*$/, ''),
    quote: String(getSelection() ?? ''),
    html: isPage ? html : '',
  }
}
