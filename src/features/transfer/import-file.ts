import { isLitter } from '../../domain/file-kinds.ts'
import { textOfFile } from '../../domain/file-text.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { openArchive } from './archive.ts'
import { fromKarakeep } from './foreign/karakeep.ts'
import { fromNotion } from './foreign/notion.ts'
import { fromPaperless } from './foreign/paperless.ts'
import { type ImportReport, importExport } from './import.ts'

type Progress = (done: number, total: number) => void
type PlacedFile = { file: File; folders: string[] }

const MAX_TEXT_BYTES = 100 * 1024 ** 2
const ZIP_BEGINS = [0x50, 0x4b]

/** Imports a file by its content, not its name.
 *  @returns a report, or nothing for a plain ZIP, whose files are uploaded. */
export async function importFile(
  library: string,
  file: File,
  onProgress: Progress,
  onFiles: (files: PlacedFile[]) => void,
): Promise<ImportReport | undefined> {
  const beginning = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  if (ZIP_BEGINS.every((byte, index) => beginning[index] === byte)) {
    const { manifest, files } = await openArchive(file)
    if (manifest) return importExport(library, { manifest, files, problems: [] }, onProgress)
    const foreign = fromPaperless(files) ?? (await fromNotion(files))
    if (foreign) return importExport(library, foreign, onProgress)
    const placed = [...files].map(([path, bytes]) => toPlacedFile(path, bytes))
    onFiles(placed.filter(({ file, folders }) => !isLitter([...folders, file.name])))
    return undefined
  }
  const text = file.size <= MAX_TEXT_BYTES ? await textOfFile(file) : ''
  const foreign = fromKarakeep(text) ?? (await import('./references.ts')).fromReferences(text)
  if (!foreign) throw new Error(t('This isn’t a ZIP, Karakeep bookmarks, or references in RIS or BibTeX.'))
  return importExport(library, foreign, onProgress)
}

function toPlacedFile(path: string, bytes: Uint8Array): PlacedFile {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..')
  const name = parts.pop() ?? 'file'
  return { file: new File([new Uint8Array(bytes)], name), folders: parts }
}
