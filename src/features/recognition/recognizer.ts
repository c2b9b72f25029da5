import { createWorker, OEM, PSM } from 'tesseract.js'
import type { RecognitionLanguage } from '../../domain/recognition.ts'
import type { Picture } from './page-pictures.ts'
import { type RecognizedLine, recognizedLines } from './recognized-lines.ts'

/** The worker, the cores for different processors and the languages' data; the build serves them from their packages. */
const ASSETS = '/tesseract'

/** The languages' names in Tesseract. The first one that is chosen has the most say: German knows all letters of English, but
 *  after English its umlauts are mostly lost. */
const DATA: readonly (readonly [RecognitionLanguage, string])[] = [
  ['de', 'deu'],
  ['en', 'eng'],
]

export type Recognizer = { read(picture: Picture): Promise<RecognizedLine[]>; close(): void }

/** Starts Tesseract in a worker. What it needs is fetched from the app's own origin.
 *  @param signal Ends it at once, also in the middle of a page. */
export async function openRecognizer(
  languages: readonly RecognitionLanguage[],
  signal: AbortSignal,
): Promise<Recognizer> {
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // Nobody may be waiting when it is stopped.
  stopped.catch(() => {})
  const started = createWorker(
    DATA.flatMap(([language, name]) => (languages.includes(language) ? [name] : [])),
    OEM.LSTM_ONLY,
    {
      workerPath: `${ASSETS}/worker.min.js`,
      corePath: ASSETS,
      langPath: ASSETS,
      // The worker would otherwise be started from a blob, which has no address that a policy could allow.
      workerBlobURL: false,
      // The service worker keeps these files, under the app's own version.
      cacheMethod: 'none',
      // Without it, a failure would be thrown into the page as well.
      errorHandler: () => {},
    },
  )
  void started.then((worker) => signal.addEventListener('abort', () => void worker.terminate())).catch(() => {})
  const worker = await Promise.race([started, stopped])
  // Columns, tables and pictures are told apart before lines are read.
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
