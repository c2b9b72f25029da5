import {
  GlobalWorkerOptions,
  getDocument,
  InvalidPDFException,
  PasswordException,
  type PDFDocumentProxy,
  PDFWorker,
} from 'pdfjs-dist'
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url'
import { t } from './i18n/i18n.ts'

GlobalWorkerOptions.workerSrc = workerUrl

/** Fonts, character maps and decoders, served by the build from the library's package. */
const ASSETS = '/pdfjs/'

let started: PDFWorker | undefined

export function startPdfWorker(): void {
  started ??= new PDFWorker()
}

/** Returns the started worker, or a new one. Each PDF has its own; end it with `destroy()`. */
export function takePdfWorker(): PDFWorker {
  const worker = started ?? new PDFWorker()
  started = undefined
  return worker
}

/** Opens a PDF. Close it with the task's `destroy()`.
 *  @param worker From `takePdfWorker`; by default a new one, which ends with the PDF. */
export async function openPdf(file: Blob, worker?: PDFWorker) {
  return getDocument({
    ...(worker ? { worker } : {}),
    data: new Uint8Array(await file.arrayBuffer()),
    cMapUrl: `${ASSETS}cmaps/`,
    standardFontDataUrl: `${ASSETS}standard_fonts/`,
    wasmUrl: `${ASSETS}wasm/`,
    iccUrl: `${ASSETS}iccs/`,
    enableXfa: false,
  })
}

export async function textOfPage(pdf: PDFDocumentProxy, page: number): Promise<string> {
  const { items } = await (await pdf.getPage(page)).getTextContent()
  return items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('')
}

export async function textOfPdf(file: Blob): Promise<string> {
  const task = await openPdf(file)
  try {
    const pdf = await task.promise
    const pages = []
    for (let page = 1; page <= pdf.numPages; page += 1) pages.push(await textOfPage(pdf, page))
    return pages.join('\n')
  } finally {
    await task.destroy()
  }
}

/** Explains why a PDF can't be shown. */
export function explainPdf(error: unknown): string {
  if (error instanceof PasswordException) {
    return t('This PDF is locked with a password. Save a copy without one and add that.')
  }
  if (error instanceof InvalidPDFException) {
    return t('This PDF is damaged. Download it and open it in another app, or export it again.')
  }
  return t('This PDF can’t be shown here. Download it and open it in another app.')
}
