import { decodeText } from '../../supabase/functions/_shared/extraction/charset.ts'

/** The text of a file, in the encoding in which the library has read it. */
export const textOfFile = async (file: Blob): Promise<string> =>
  (await decodeText(new Uint8Array(await file.arrayBuffer()))) ?? ''
