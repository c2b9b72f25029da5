import { MAX_TITLE } from '../../../supabase/functions/_shared/facts.ts'
import { webAddress } from '../../features/documents/dialogs/web-address.ts'
import type { SharedIn } from '../../features/uploads/shared-in.ts'

/** What becomes of something that another app shares. */
export type Received =
  | { kind: 'files'; files: readonly File[] }
  | { kind: 'link'; title: string; url: string; page?: Blob; quote?: string }
  | { kind: 'note'; title: string; body: string }

/** Files become documents, an address a link, a quote from a page and other text a note; null when nothing came. Several systems
 *  send a page's address as text, some of them behind its title.
 *  @param quote What was selected on the page, by the bookmark. */
export function readReceived(shared: SharedIn, quote = ''): Received | null {
  const { title, text, url, files, page } = shared
  if (files.length > 0) return { kind: 'files', files }
  if (quote.trim() !== '') return { kind: 'note', title: titleOf(title, quote), body: quoteWithSource(quote, url) }
  const [inText = ''] = /https?:\/\/\S+$/i.exec(text.trim()) ?? []
  const address = webAddress(url) ?? webAddress(inText)
  const isOnlyAddress = text.trim() === '' || (address !== undefined && !text.trim().includes('\n'))
  if (address !== undefined && isOnlyAddress) {
    const link = { kind: 'link', title: title.trim(), url: address } as const
    return page ? { ...link, page, quote: shared.quote?.trim() ?? '' } : link
  }
  const body = [text, url].filter((part) => part.trim() !== '').join('\n\n')
  return body.trim() === '' ? null : { kind: 'note', title: titleOf(title, body), body }
}

function titleOf(title: string, body: string): string {
  const [firstLine = ''] = body.trim().split('\n')
  return (title.trim() || firstLine.replace(/^#+\s*/, '')).slice(0, MAX_TITLE)
}

/** As Markdown. The page's letters stay letters: what means something in Markdown is escaped. */
function quoteWithSource(quote: string, url: string): string {
  const lines = quote
    .trim()
    .replaceAll(/[\\`*_[\]<>#|~]/g, '\\$&')
    .split(/\r?\n/)
  const address = webAddress(url)
  return [lines.map((line) => `> ${line}`).join('\n'), ...(address ? [`<${address}>`] : [])].join('\n\n')
}
