// `node scripts/character-maps.ts`: packs pdf.js' character maps into one module for the function `ingest`, because
// hosted functions have only the files that they import.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { ROOT } from './processes.ts'

const FOLDER = `${ROOT}node_modules/pdfjs-dist/cmaps`
const PACKED = `${ROOT}supabase/functions/_shared/extraction/pdf/character-maps.json`
const ENDING = '.bcmap'

const names = (await readdir(FOLDER)).filter((name) => name.endsWith(ENDING)).sort()
const maps = await Promise.all(names.map((name) => readFile(join(FOLDER, name))))
const packed = brotliCompressSync(Buffer.concat(maps), {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  },
})
await writeFile(
  PACKED,
  `${JSON.stringify({
    sizes: Object.fromEntries(names.map((name, index) => [name, maps[index]?.length ?? 0])),
    packed: packed.toString('base64'),
  })}\n`,
)
