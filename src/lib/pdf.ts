import { GlobalWorkerOptions, getDocument, InvalidPDFException, PasswordException } from 'pdfjs-dist'
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url'
import { t } from './i18n/i18n.ts'

GlobalWorkerOptions.workerSrc = workerUrl

/** Fonts, character maps and decoders that a PDF may need; the build serves them from the library's own package. */
const ASSETS = '/pdfjs/'

/** Opens a PDF. Close it with the returned task's `destroy()`. */
export async function openPdf(file: Blob) {
  return getDocument({
    data: new Uint8Array(await file.arrayBuffer()),
    cMapUrl: `${ASSETS}cmaps/`,
    standardFontDataUrl: `${ASSETS}standard_fonts/`,
    wasmUrl: `${ASSETS}wasm/`,
    iccUrl: `${ASSETS}iccs/`,
    enableXfa: false,
  })
}

/** Why a PDF cannot be shown, and what to do. */
export function explainPdf(error: unknown): string {
  if (error instanceof PasswordException) {
    return t('This PDF is locked with a password. Save a copy without one and add that.')
  }
  if (error instanceof InvalidPDFException) {
    return t('This PDF is damaged. Download it and open it elsewhere, or export it again from where it came.')
  }
  return t('This PDF cannot be shown here. Download it and open it elsewhere.')
}
