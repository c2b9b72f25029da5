import { createCanvas, drawOnWhite, encodeCanvas } from '../../lib/canvas.ts'
import { openPdf } from '../../lib/pdf.ts'
import { openPicture } from '../../lib/pictures.ts'

export type Picture = {
  readonly image: Blob
  /** Pixels. */
  readonly height: number
  /** Points per pixel. */
  readonly scale: number
}
export type PagePictures = { picture(page: number): Promise<Picture>; close(): void }

const POINTS_PER_INCH = 72
/** Tesseract's training resolution. */
const DOTS_PER_INCH = 300
/** An A4 page at that resolution; larger pages are downscaled. */
const MAX_PIXELS = 9_000_000
/** Images have no physical size: their longer side is taken as A4's, in points. */
const LONGER_SIDE = 842
/** Text in small screenshots is too small for Tesseract. */
const SMALL_IMAGE = 1600

/** Draws pages of a PDF or image, in chunks that don't block the device. */
export const openPictures = (file: Blob, mimeType: string): Promise<PagePictures> =>
  mimeType.startsWith('image/') ? openImage(file, mimeType) : openPages(file)

async function openPages(file: Blob): Promise<PagePictures> {
  const task = await openPdf(file)
  const pdf = await task.promise
  return {
    async picture(number) {
      const page = await pdf.getPage(number)
      const { width, height } = page.getViewport({ scale: 1 })
      const dots = Math.min(DOTS_PER_INCH / POINTS_PER_INCH, Math.sqrt(MAX_PIXELS / (width * height)))
      const viewport = page.getViewport({ scale: dots })
      const canvas = createCanvas(viewport.width, viewport.height)
      await page.render({ canvas, viewport }).promise
      page.cleanup()
      return { image: await encodeCanvas(canvas, 'image/png'), height: canvas.height, scale: 1 / dots }
    },
    close: () => void task.destroy(),
  }
}

async function openImage(file: Blob, mimeType: string): Promise<PagePictures> {
  const opened = await openPicture(file, mimeType)
  return {
    async picture(number) {
      const bitmap = await opened.page(number)
      const { width, height } = bitmap
      const factor = Math.min(Math.max(width, height) < SMALL_IMAGE ? 2 : 1, Math.sqrt(MAX_PIXELS / (width * height)))
      const canvas = createCanvas(width * factor, height * factor)
      drawOnWhite(canvas, bitmap, { left: 0, width: canvas.width, height: canvas.height })
      bitmap.close()
      return {
        image: await encodeCanvas(canvas, 'image/png'),
        height: canvas.height,
        scale: LONGER_SIDE / Math.max(canvas.width, canvas.height),
      }
    },
    close() {},
  }
}
