import { createCanvas, drawOnWhite, encodeCanvas } from '../../../lib/canvas.ts'
import { openPdf } from '../../../lib/pdf.ts'
import { openPicture } from '../../../lib/pictures.ts'

/** Pixels: a card's width at double density. */
const WIDTH = 400
const HEIGHT = 300
/** Longer pictures are cropped at the bottom, wider ones at both sides. */
const MAX_HEIGHT = 560
const MAX_WIDTH = 640

/** Bytes; the database allows slightly more. */
const MAX_BYTES = 40_000
const QUALITIES = [0.8, 0.6, 0.4, 0.2]

/** Draws the cover of a PDF (first page) or image: about 400 pixels wide, as WebP, or JPEG if unsupported.
 *  @throws if the file is damaged, encrypted or unsupported by this browser. */
export async function drawCover(file: Blob, mimeType: string): Promise<Blob> {
  return compress(await (mimeType.startsWith('image/') ? drawImage(file, mimeType) : drawFirstPage(file)))
}

/** Returns the scaled size and the visible part, in pixels. @param enlarge Whether it may be scaled up. */
function measure({ width, height }: { width: number; height: number }, enlarge: boolean) {
  const scale = Math.min(enlarge ? Number.POSITIVE_INFINITY : 1, Math.max(WIDTH / width, HEIGHT / height))
  const size = { width: Math.min(width * scale, MAX_WIDTH), height: Math.min(height * scale, MAX_HEIGHT) }
  return { scale, kept: size, left: (size.width - width * scale) / 2 }
}

async function drawImage(file: Blob, mimeType: string): Promise<HTMLCanvasElement> {
  const bitmap = await (await openPicture(file, mimeType)).page(1)
  try {
    const { scale, kept, left } = measure(bitmap, false)
    const canvas = createCanvas(kept.width, kept.height)
    drawOnWhite(canvas, bitmap, { left, width: bitmap.width * scale, height: bitmap.height * scale })
    return canvas
  } finally {
    bitmap.close()
  }
}

async function drawFirstPage(file: Blob): Promise<HTMLCanvasElement> {
  const task = await openPdf(file)
  try {
    const pdf = await task.promise
    const page = await pdf.getPage(1)
    const { scale, kept, left } = measure(page.getViewport({ scale: 1 }), true)
    const canvas = createCanvas(kept.width, kept.height)
    await page.render({ canvas, viewport: page.getViewport({ scale, offsetX: left }) }).promise
    return canvas
  } finally {
    void task.destroy()
  }
}

async function compress(canvas: HTMLCanvasElement): Promise<Blob> {
  for (const quality of QUALITIES) {
    let cover = await encodeCanvas(canvas, 'image/webp', quality)
    if (cover.type !== 'image/webp') cover = await encodeCanvas(canvas, 'image/jpeg', quality)
    if (cover.size <= MAX_BYTES) return cover
  }
  throw new Error('The picture cannot be made small enough.')
}
