import { Document, Packer } from 'docx'
import { htmlToContent } from 'docx/html'
import { isRightToLeft } from '../../lib/i18n/direction.ts'

const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, ul, ol, li, blockquote, table, th, td'

/** A text as a document for Word (DOCX), in Word's own styles, so that a template gives it another look.
 *  @param text Its HTML, of which pictures are data. */
export async function wordDocument(title: string, text: HTMLElement): Promise<Blob> {
  // In a browser each block finds its direction itself; Word has to be told.
  for (const block of text.querySelectorAll<HTMLElement>(BLOCKS)) {
    block.dir = isRightToLeft(block.textContent) ? 'rtl' : 'ltr'
  }
  for (const image of text.querySelectorAll('img')) image.src = await forWord(image.src)
  const file = new Document({ title, sections: [{ children: htmlToContent(text.innerHTML) }] })
  return await Packer.toBlob(file)
}

/** Word shows neither WebP nor AVIF. */
async function forWord(address: string): Promise<string> {
  if (!/^data:image\/(?:webp|avif)/.test(address)) return address
  const picture = await createImageBitmap(await (await fetch(address)).blob())
  const { width, height } = picture
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  canvas.getContext('2d')?.drawImage(picture, 0, 0)
  return canvas.toDataURL()
}
