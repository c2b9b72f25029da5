/** An image file decoded page by page. Close what `page` returns. */
export type Picture = { readonly pages: number; page(number: number): Promise<ImageBitmap> }

/** Pixels of a decoded page, of four bytes each. */
const MAX_PIXELS = 100_000_000

/** Opens an image. No browser shows TIFF, and only Safari HEIC: decoders are loaded on demand.
 *  @param number Of `page`, starts at 1.
 *  @throws if the file is damaged. */
export async function openPicture(file: Blob, mimeType: string): Promise<Picture> {
  if (mimeType === 'image/tiff') return await openTiff(file)
  return { pages: 1, page: () => (mimeType === 'image/heic' ? decodeHeic(file) : createImageBitmap(file)) }
}

export const isShownByBrowsers = (mimeType: string): boolean => !/^image\/(?:tiff|heic)$/.test(mimeType)

async function openTiff(file: Blob): Promise<Picture> {
  const [{ default: UTIF }, bytes] = await Promise.all([import('utif2'), file.arrayBuffer()])
  // Embedded thumbnails are pages marked as reduced.
  const pages = UTIF.decode(bytes).filter(({ t256, t257, t254 }) => t256 && t257 && !(Number(t254) & 1))
  if (pages.length === 0) throw new Error('There is no picture in this TIFF file.')
  return {
    pages: pages.length,
    async page(number) {
      const page = pages[number - 1]
      if (!page) throw new RangeError(`There is no page ${number}.`)
      if (Number(page.t256) * Number(page.t257) > MAX_PIXELS) throw new Error('This page is too large to be shown.')
      UTIF.decodeImage(bytes, page)
      const { width, height } = page
      const pixels = new Uint8ClampedArray(UTIF.toRGBA8(page))
      page.data = new Uint8Array()
      return await createImageBitmap(new ImageData(pixels, width, height))
    },
  }
}

async function decodeHeic(file: Blob): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file)
  } catch {
    // The variant without eval, for our CSP.
    const { heicTo } = await import('heic-to/csp')
    return await heicTo({ blob: file, type: 'bitmap' })
  }
}
