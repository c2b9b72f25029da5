import { MAX_TITLE } from '../../../supabase/functions/_shared/facts.ts'
import { webAddress } from '../../features/documents/dialogs/web-address.ts'
import type { SharedIn } from '../../features/uploads/shared-in.ts'

export type Received =
  | { kind: 'files'; files: readonly File[] }
  | { kind: 'link'; title: string; url: string; page?: Blob; quote?: string }
  | { kind: 'note'; title: string; body: string }

/** Files become documents, a URL a link, other text a note; null if there is nothing. Some systems send a URL as text,
 *  after its title.
 *  @param quote The selection, from the bookmarklet. */
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

function quoteWithSource(quote: string, url: string): string {
  const lines = quote
    .trim()
    .replaceAll(/[\\`*_[\]<>#|~]/g, '\\$&')
    .split(/\r?\n/)
  const address = webAddress(url)
  return [lines.map((line) => `> ${line}`).join('\n'), ...(address ? [`<${address}>`] : [])].join('\n\n')
}
