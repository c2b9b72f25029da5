export type MailContent = {
  /** One-time codes. */
  readonly codes: readonly string[]
  readonly links: readonly { readonly text: string; readonly url: string }[]
}

/** Standalone digits, unlike those in phone numbers, dates and addresses. */
const CODE = /(?<![\w/=&+.,-]|\+\d{1,3} )\d{6,10}(?![\w/=&-])/g
const URL_IN_TEXT = /https?:\/\/[^\s<>"')\]]+/g

/** Finds codes and links with their texts in a message. Loads and runs nothing.
 *  @param html Empty for a plain-text mail. */
export function findInMail({ text, html }: { readonly text: string; readonly html: string }): MailContent {
  const codes = [...new Set(text.slice(0, MAX_LENGTH).match(CODE) ?? [])]
  const anchors = html === '' ? [] : linksOf(html)
  const written = (text.slice(0, MAX_LENGTH).match(URL_IN_TEXT) ?? []).map((url) => ({
    text: '',
    url: url.replace(/[.,;:!?]+$/, ''),
  }))
  const all = [...anchors, ...written].filter(({ url }) => isWeb(url))
  return { codes, links: all.filter(({ url }, index) => all.findIndex((one) => one.url === url) === index) }
}

/** The searched length of a mail, and of a tag or link text, so that a hostile mail can't block the page. */
const MAX_LENGTH = 500_000
const ANCHOR =
  /<a\b[^>]{0,2000}?\bhref\s{0,9}=\s{0,9}(?:"([^"]{0,4000})"|'([^']{0,4000})')[^>]{0,2000}>([\s\S]{0,2000}?)<\/a/gi

/** Uses patterns, because a browser's parser would report each of the mail's styles and handlers as a violation of the console's policy. */
const linksOf = (html: string) =>
  [...html.slice(0, MAX_LENGTH).matchAll(ANCHOR)].map(([, double, single, content = '']) => ({
    text: decode(content.replaceAll(/<[^>]*>/g, ' '))
      .replaceAll(/\s+/g, ' ')
      .trim(),
    url: decode(double ?? single ?? '').trim(),
  }))

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

const decode = (html: string): string =>
  html.replaceAll(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w{2,5}));/gi, (all, decimal, hex, name) =>
    name
      ? (ENTITIES[name.toLowerCase()] ?? all)
      : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  )

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
