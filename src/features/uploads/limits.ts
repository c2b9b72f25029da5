import { MAX_FILE, MAX_TITLE } from '../../../supabase/functions/_shared/facts.ts'
import { endingOf, hasSignature, kindOfName, stemOf } from '../../domain/file-kinds.ts'
import { formatBytes } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'

/** Bytes needed to detect a file's type. */
export const BEGINNING = 1024

/** Returns why a file can't be uploaded, and what to do; undefined if it can.
 *  @param beginning The file's first `BEGINNING` bytes. */
export function fileFault(file: { name: string; size: number }, beginning: Uint8Array): string | undefined {
  if (file.size === 0) return t('This file is empty. Check that it was saved, then add it again.')
  if (file.size > MAX_FILE) {
    return t('This file is {size}; the limit is {limit}. Split it, or make a smaller copy.', {
      limit: formatBytes(MAX_FILE),
      size: formatBytes(file.size),
    })
  }
  const kind = kindOfName(file.name)
  const start = Array.from(beginning, (byte) => String.fromCharCode(byte)).join('')
  // PDF readers allow up to a kilobyte before the header.
  const isIt =
    kind.read === 'pdf' ? start.includes('%PDF-') : !kind.signature || hasSignature(beginning, kind.signature)
  if (!isIt) {
    return t(
      'Its name ends in .{ending}, but its contents aren’t that. Export it again from the program that made it.',
      { ending: endingOf(file.name) },
    )
  }
}

/** Returns an ASCII storage key; the original name is stored separately. */
export function safeName(name: string): string {
  const ending = endingOf(name)
  const plain = ending.replaceAll(/[^a-z0-9]/g, '').slice(0, 20)
  const stem = name
    .slice(0, name.length - (ending ? ending.length + 1 : 0))
    .normalize('NFKD')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80)
  return `${stem || 'file'}${plain ? `.${plain}` : ''}`
}

/** Returns a title from a file name, without known extension and disguising line or direction marks. */
export function titleOf(fileName: string): string {
  const title = stemOf(fileName)
    .replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
  return title.slice(0, MAX_TITLE) || fileName
}
