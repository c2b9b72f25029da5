import type { Extraction } from './extraction.ts'

/** Plain text is one section; passages end at the ends of its sentences. */
export function extractPlainText(text: string): Extraction {
  return { sections: [{ page: null, heading: null, text, start: 0 }], mimeType: 'text/plain', pages: null }
}
