/** An image file whose pages are decoded one at a time. Close what `page` gives. */
export type Picture = { readonly pages: number; page(number: number): Promise<ImageBitmap> }

/** Most pixels of a page that is decoded here: four bytes each. */
const MOST_PIXELS = 100_000_000

/** Opens an image of a kind that Carrel shows. Browsers show no TIFF, and only Safari shows HEIC: what decodes them comes when it is
 *  first needed.
 *  @param number Of `page`, counts from 1.
 *  @throws when the file is damaged. */
export async function openPicture(file: Blob, mimeType: string): Promise<Picture> {
  if (mimeType === 'image/tiff') return await openTiff(file)
  return { pages: 1, page: () => (mimeType === 'image/heic' ? decodeHeic(file) : createImageBitmap(file)) }
}

/** Whether every browser shows files of a type by itself. */
export const isShownByBrowsers = (mimeType: string): boolean => !/^image\/(?:tiff|heic)$/.test(mimeType)

async function openTiff(file: Blob): Promise<Picture> {
  const [{ default: UTIF }, bytes] = await Promise.all([import('utif2'), file.arrayBuffer()])
  // Thumbnails of pages are pages of their own; they're marked as reduced.
  const pages = UTIF.decode(bytes).filter(({ t256, t257, t254 }) => t256 && t257 && !(Number(t254) & 1))
  if (pages.length === 0) throw new Error('There is no picture in this TIFF file.')
  return {
    pages: pages.length,
    async page(number) {
      const page = pages[number - 1]
      if (!page) throw new RangeError(`There is no page ${number}.`)
      if (Number(page.t256) * Number(page.t257) > MOST_PIXELS) throw new Error('This page is too large to be shown.')
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
    // The variant for pages whose policy forbids code in texts, as that of Carrel does.
    const { heicTo } = await import('heic-to/csp')
    return await heicTo({ blob: file, type: 'bitmap' })
  }
}
