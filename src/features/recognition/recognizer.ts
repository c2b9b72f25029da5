import { createWorker, OEM, PSM } from 'tesseract.js'
import type { RecognitionLanguage } from '../../domain/recognition.ts'
import type { Picture } from './page-pictures.ts'
import { type RecognizedLine, recognizedLines } from './recognized-lines.ts'

/** Tesseract's worker, cores and language data, served by the build from their packages. */
const ASSETS = '/tesseract'

/** Tesseract's languages. The first dominates: German covers English, but after English most umlauts are lost. */
const DATA: readonly (readonly [RecognitionLanguage, string])[] = [
  ['de', 'deu'],
  ['en', 'eng'],
]

export type Recognizer = { read(picture: Picture): Promise<RecognizedLine[]>; close(): void }

/** Starts Tesseract in a worker, with files from the app's own origin.
 *  @param signal Stops it immediately, even within a page. */
export async function openRecognizer(
  languages: readonly RecognitionLanguage[],
  signal: AbortSignal,
): Promise<Recognizer> {
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // There may be no one waiting for it.
  stopped.catch(() => {})
  const started = createWorker(
    DATA.flatMap(([language, name]) => (languages.includes(language) ? [name] : [])),
    OEM.LSTM_ONLY,
    {
      workerPath: `${ASSETS}/worker.min.js`,
      corePath: ASSETS,
      langPath: ASSETS,
      // A blob worker has no address that the CSP could allow.
      workerBlobURL: false,
      // The service worker caches these files per app version.
      cacheMethod: 'none',
      // Otherwise failures would also be thrown globally.
      errorHandler: () => {},
    },
  )
  void started.then((worker) => signal.addEventListener('abort', () => void worker.terminate())).catch(() => {})
  const worker = await Promise.race([started, stopped])
  // Detects columns, tables and pictures before reading lines.
  await worker.setParameters({ tessedit_pageseg_mode: PSM.AUTO })
  return {
    async read({ image, scale, height }) {
      const { data } = await Promise.race([
        worker.recognize(image, { rotateAuto: true }, { text: false, blocks: true }),
        stopped,
      ])
      const lines = (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.lines))
      return recognizedLines(lines, scale, height)
    },
    close: () => void worker.terminate(),
  }
}
