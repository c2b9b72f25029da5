import { MAX_FILE, MAX_TITLE } from '../../../supabase/functions/_shared/facts.ts'
import { endingOf, hasSignature, kindOfName, stemOf } from '../../domain/file-kinds.ts'
import { formatBytes } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'

/** As far as a beginning has to be looked for, in bytes. */
export const BEGINNING = 1024

/** Why a file cannot be uploaded, with what to do about it; undefined when it can.
 *  @param beginning The file's first `BEGINNING` bytes. */
export function fileFault(file: { name: string; size: number }, beginning: Uint8Array): string | undefined {
  if (file.size === 0) return t('This file is empty. Check that it was saved, then add it again.')
  if (file.size > MAX_FILE) {
    return t('Over the limit: a file may have {limit}, this one has {size}. Split it, or make a smaller copy.', {
      limit: formatBytes(MAX_FILE),
      size: formatBytes(file.size),
    })
  }
  const kind = kindOfName(file.name)
  const start = Array.from(beginning, (byte) => String.fromCharCode(byte)).join('')
  // Readers of PDF allow up to a kilobyte of anything before the header.
  const isIt =
    kind.read === 'pdf' ? start.includes('%PDF-') : !kind.signature || hasSignature(beginning, kind.signature)
  if (!isIt) {
    return t(
      'Its name ends in .{ending}, but that is not what it holds. Export it again from the program it was made with.',
      { ending: endingOf(file.name) },
    )
  }
}

/** A storage key is plain ASCII without a path in it; the person's own name for the file is kept beside it. */
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

/** A file name as a title: without its ending where that is one of a kind, otherwise as it is; people search by it.
 *  Signs that make a line of their own or turn the direction of reading could pass a name off as another. */
export function titleOf(fileName: string): string {
  const title = stemOf(fileName)
    .replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
  return title.slice(0, MAX_TITLE) || fileName
}
