// Reads the files of a folder, in Deno, as the function `ingest` does: one line of JSON for each.
import { parse } from 'parse5'
import { Unreadable } from '../../supabase/functions/_shared/errors.ts'
import { decodeText } from '../../supabase/functions/_shared/extraction/charset.ts'
import { readFile } from '../../supabase/functions/_shared/extraction/extract.ts'
import { endingOf } from '../../supabase/functions/_shared/file-kinds.ts'

type Tree = { nodeName: string; value?: string; childNodes?: Tree[] }

const textIn = ({ nodeName, value = '', childNodes = [] }: Tree): string =>
  /^(?:script|style|template)$/.test(nodeName) ? '' : childNodes.map(textIn).join(' ') + value

/** What a file says, by a way that has nothing to do with how it is read; null where there is none. */
async function referenceOf(bytes: Uint8Array, ending: string): Promise<string | null> {
  const isPage = /^x?html?$/.test(ending)
  if (!isPage && !/^(?:txt|md|csv|log)$/.test(ending)) return null
  const text = (await decodeText(bytes)) ?? ''
  return isPage ? textIn(parse(text)) : text
}

const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,}/gu),
  )

async function figuresOf(path: string) {
  const ending = endingOf(path)
  const bytes = await Deno.readFile(path)
  // A PDF's are handed over to its parser.
  const size = bytes.length
  const began = performance.now()
  try {
    const { passages, title } = await readFile(bytes, path.split('/').at(-1) ?? '')
    const ms = performance.now() - began
    const reference = await referenceOf(bytes, ending)
    const read = wordsOf([title, ...passages.flatMap(({ heading, content }) => [heading, content])].join('\n'))
    const all = wordsOf(reference ?? '')
    return { path, ending, bytes: size, ms, words: all.size, lost: [...all.difference(read)].length }
  } catch (error) {
    const problem = error instanceof Unreadable ? error.problem.code : `error: ${error}`
    return { path, ending, bytes: size, ms: performance.now() - began, words: 0, lost: 0, problem }
  }
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesIn(`${folder}/${name}`)
    else if (isFile) yield `${folder}/${name}`
  }
}

for await (const path of filesIn(Deno.args[0] ?? '.')) console.log(JSON.stringify(await figuresOf(path)))
