import { randomBytes } from 'node:crypto'
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'
import { drawRank, randomNumbers, wordOf } from './vocabulary.ts'

const PAGES = 120
const LINES = 30
/** A picture on every twelfth page: 330 kB, like a photo. */
const PICTURE = { every: 12, width: 400, height: 275 }

/** Creates PDFs like ordinary manuals: 120 pages, 3.4 MB. @param seed Determines the words. */
export function createManualMaker(seed: number) {
  const random = randomNumbers(seed)
  const words = (count: number): string => Array.from({ length: count }, () => wordOf(drawRank(random))).join(' ')

  async function makeManual(number: number): Promise<Uint8Array<ArrayBuffer>> {
    const document = await PDFDocument.create()
    document.setTitle(`The manual of ${words(2)}, volume ${number}`)
    const font = await document.embedFont(StandardFonts.TimesRoman)
    for (let place = 1; place <= PAGES; place++) {
      const page = document.addPage([420, 595])
      page.drawText(`${place}. ${words(3)}`, { x: 40, y: 540, size: 16, font })
      for (let line = 0; line < LINES; line++)
        page.drawText(`${words(11)}.`, { x: 40, y: 510 - line * 14, size: 10, font })
      if (place % PICTURE.every === 0) {
        const { width, height } = PICTURE
        const picture = document.context.stream(randomBytes(width * height * 3), {
          Type: 'XObject',
          Subtype: 'Image',
          Width: width,
          Height: height,
          ColorSpace: 'DeviceRGB',
          BitsPerComponent: 8,
        })
        page.node.newXObject('Picture', document.context.register(picture))
      }
    }
    return new Uint8Array(await document.save())
  }

  return { makeManual, words }
}
