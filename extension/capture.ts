export type Captured = {
  title: string
  url: string
  /** What is selected, '' for nothing. */
  quote: string
  /** The page as it is shown; '' for what has no text, such as the viewer of a PDF, and where it is larger than a library takes. */
  html: string
}

/** Runs in the page that is kept. What it refers to must be inside it: the browser sends its source there. */
export function capture(): Captured {
  const LARGEST = 20_000_000
  const copy = document.documentElement.cloneNode(true) as HTMLElement
  // What somebody has typed is not the page's.
  for (const part of copy.querySelectorAll(
    'script, noscript, style, template, iframe, object, embed, input, textarea, select',
  ))
    part.remove()
  // A reader of the copy has another address.
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
  const isPage = copy.querySelector('body')?.textContent.trim() && html.length <= LARGEST
  return {
    title: document.title,
    // Without the place on the page, at which it is the same page; but some pages are told apart by nothing else.
    url: location.href.replace(/#(?![!/]).*$/, ''),
    quote: String(getSelection() ?? ''),
    html: isPage ? html : '',
  }
}
