import { decodeText } from '../../supabase/functions/_shared/extraction/charset.ts'

export const textOfFile = async (file: Blob): Promise<string> =>
  (await decodeText(new Uint8Array(await file.arrayBuffer()))) ?? ''
