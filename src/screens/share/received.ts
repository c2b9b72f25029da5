import { webAddress } from '../../features/documents/dialogs/web-address.ts'
import type { SharedIn } from '../../features/uploads/shared-in.ts'

/** What becomes of something that another app shares. */
export type Received =
  | { kind: 'files'; files: readonly File[] }
  | { kind: 'link'; title: string; url: string }
  | { kind: 'note'; title: string; body: string }

const LONGEST_TITLE = 300

/** Files become documents, an address a link, other text a note; null when nothing came. Several systems send a page's address
 *  as text, some of them behind its title. */
export function readReceived({ title, text, url, files }: SharedIn): Received | null {
  if (files.length > 0) return { kind: 'files', files }
  const [inText = ''] = /https?:\/\/\S+$/i.exec(text.trim()) ?? []
  const address = webAddress(url) ?? webAddress(inText)
  const isOnlyAddress = text.trim() === '' || (address !== undefined && !text.trim().includes('\n'))
  if (address !== undefined && isOnlyAddress) return { kind: 'link', title: title.trim(), url: address }
  const body = [text, url].filter((part) => part.trim() !== '').join('\n\n')
  const [firstLine = ''] = body.trim().split('\n')
  const name = (title.trim() || firstLine.replace(/^#+\s*/, '')).slice(0, LONGEST_TITLE)
  return body.trim() === '' ? null : { kind: 'note', title: name, body }
}
