// Reads a folder's files in Deno, like the function `ingest`: a line of JSON each.
import { unzipSync } from 'fflate'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { parse } from 'parse5'
import { getDocumentProxy } from 'unpdf'
import { Unreadable } from '../../supabase/functions/_shared/errors.ts'
import { decodeText } from '../../supabase/functions/_shared/extraction/charset.ts'
import { readFile } from '../../supabase/functions/_shared/extraction/testing/read-file.ts'
import { endingOf } from '../../supabase/functions/_shared/file-kinds.ts'

type Tree = { nodeName: string; value?: string; childNodes?: Tree[] }

const textIn = ({ nodeName, value = '', childNodes = [] }: Tree): string =>
  /^(?:script|style|template)$/.test(nodeName) ? '' : childNodes.map(textIn).join(' ') + value

type Node = { type: string; value?: string; alt?: string | null; children?: Node[] }

/** What readers of Markdown see: no addresses of links and pictures, no comments and attributes of HTML. */
const textOfMarkdown = ({ type, value = '', alt, children = [] }: Node): string =>
  type === 'html'
    ? textIn(parse(value))
    : `${value}${alt ?? ''}${children.map(textOfMarkdown).join('')}${/^(?:text|html|link|image|inlineCode|emphasis|strong)$/.test(type) ? '' : '\n'}`

async function textOfPdf(bytes: Uint8Array): Promise<string> {
  const pdf = await getDocumentProxy(bytes, { verbosity: 0 })
  const pages: string[] = []
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent()
    pages.push(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''))
  }
  await pdf.loadingTask.destroy()
  // Joins words divided at line ends.
  return pages.join('\n').replaceAll(/[-\u00ad\u2010]\n(?=\p{Ll})/gu, '')
}

/** Parts of an Office file with text written by people. */
const TEXT_PARTS =
  /^(?:word\/(?:document|footnotes|endnotes|comments)|ppt\/(?:slides|notesSlides)\/\w+|xl\/(?:sharedStrings|comments\d*)|content)\.xml$/
/** Word boundaries, and elements without written text. */
const BREAKS =
  /<(?:w:p|w:br|w:tab|a:p|a:br|(?:\w+:)?si|author|text:p|text:h|text:tab|text:s|text:line-break|office:annotation)[ />]/g
/** Slide numbers, phonetic guides and what older programs show. */
const REPEATED = /<(a:fld|rPh|mc:Fallback)\b[^>]*>.*?<\/\1>/gs
const HIDDEN =
  /<(w:instrText|w:delText|w:fldData|p:attrName|dc:creator|dc:date|meta:[\w-]+|wp:[\w-]+|a:tableStyleId)\b[^>]*>[^<]*<\/\1>/g

const textOfParts = (bytes: Uint8Array): string =>
  Object.entries(unzipSync(bytes, { filter: ({ name }) => TEXT_PARTS.test(name) }))
    .map(([, part]) =>
      new TextDecoder()
        .decode(part)
        .replaceAll(REPEATED, '')
        .replaceAll(HIDDEN, ' ')
        .replaceAll(BREAKS, ' $&')
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
        .replaceAll(/&(?:amp|lt|gt|quot|apos);/g, ' '),
    )
    .join('\n')

/** Returns a file's text by an independent method; null if there is none. */
async function referenceOf(bytes: Uint8Array, ending: string): Promise<string | null> {
  if (ending === 'pdf') return await textOfPdf(bytes)
  if (/^(?:docx|pptx|xlsx|odt|odp|ods)$/.test(ending)) return textOfParts(bytes)
  const isPage = /^x?html?$/.test(ending)
  if (!isPage && !/^(?:txt|md|csv|log)$/.test(ending)) return null
  const text = (await decodeText(bytes)) ?? ''
  if (ending === 'md') return textOfMarkdown(fromMarkdown(text))
  return isPage ? textIn(parse(text)) : text
}

const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,}/gu),
  )

const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

async function figuresOf(path: string) {
  const ending = endingOf(path)
  const bytes = await Deno.readFile(path)
  // The parser takes over a PDF's bytes.
  const copy = bytes.slice()
  const size = bytes.length
  const began = performance.now()
  try {
    const { passages, title } = await readFile(bytes, path.split('/').at(-1) ?? '')
    const ms = performance.now() - began
    const memory = Deno.memoryUsage().rss
    const reference = await referenceOf(copy, ending)
    const text = [title, ...passages.flatMap(({ heading, content }) => [heading, content])].join('\n')
    const all = wordsOf(reference ?? '')
    // pdf.js glues words that are drawn far apart, so for PDFs only the letters count.
    const letters = ending === 'pdf' ? lettersOf(text) : ''
    const lost = [...all.difference(wordsOf(text))].filter((word) => !letters.includes(word) || letters === '')
    return { path, ending, bytes: size, ms, memory, words: all.size, lost: lost.length }
  } catch (error) {
    const problem = error instanceof Unreadable ? error.problem.code : `error: ${error}`
    return {
      path,
      ending,
      bytes: size,
      ms: performance.now() - began,
      memory: Deno.memoryUsage().rss,
      words: 0,
      lost: 0,
      problem,
    }
  }
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesIn(`${folder}/${name}`)
    else if (isFile) yield `${folder}/${name}`
  }
}

for await (const path of filesIn(Deno.args[0] ?? '.')) console.log(JSON.stringify(await figuresOf(path)))
