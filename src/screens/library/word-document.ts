import { Document, Packer } from 'docx'
import { htmlToContent } from 'docx/html'
import { isRightToLeft } from '../../lib/i18n/direction.ts'

const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, ul, ol, li, blockquote, table, th, td'

/** Converts a text to DOCX with Word's own styles, so that templates apply. @param text HTML with embedded pictures. */
export async function wordDocument(title: string, text: HTMLElement): Promise<Blob> {
  // Browsers detect a block's direction; Word has to be told.
  for (const block of text.querySelectorAll<HTMLElement>(BLOCKS)) {
    block.dir = isRightToLeft(block.textContent) ? 'rtl' : 'ltr'
  }
  for (const image of text.querySelectorAll('img')) image.src = await forWord(image.src)
  const file = new Document({ title, sections: [{ children: htmlToContent(text.innerHTML) }] })
  return await Packer.toBlob(file)
}

/** Word supports neither WebP nor AVIF. */
async function forWord(address: string): Promise<string> {
  if (!/^data:image\/(?:webp|avif)/.test(address)) return address
  const picture = await createImageBitmap(await (await fetch(address)).blob())
  const { width, height } = picture
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  canvas.getContext('2d')?.drawImage(picture, 0, 0)
  return canvas.toDataURL()
}
