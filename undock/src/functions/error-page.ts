import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { placeIn, type SourcePlace } from './source-place.ts'

/** Lines shown before and after the failing line. */
const AROUND = 3

/** Whether the client is a browser that shows a page to a person; programs get the usual response. */
export const wantsPage = (request: Request): boolean =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html')

/** A page that shows what failed in a function, and the line of the author's source.
 *  @param trace Deno's stack trace; its first line is the message.
 *  @param folder The folder that file names are shown relative to. */
export async function errorPage(
  status: number,
  title: string,
  { trace, folder }: { readonly trace: string; readonly folder: string },
): Promise<Response> {
  const place = placeIn(trace)
  const shown = place && relative(folder, place.file)
  const body = [
    `<h1>${status} ${escapeHtml(title)}</h1>`,
    ...(place ? [`<p><b>${escapeHtml(`${shown}:${place.line}:${place.column}`)}</b></p>`, await excerpt(place)] : []),
    `<pre>${escapeHtml(trace)}</pre>`,
  ]
  const html = `<!doctype html><meta charset="utf-8"><title>${status} ${escapeHtml(title)}</title><style>${STYLE}</style>${body.join('')}`
  return new Response(html, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

const STYLE =
  'body{font:16px/1.5 system-ui;margin:3rem auto;max-width:60rem;padding:0 1rem}pre{overflow:auto;padding:1rem;background:#8881;border-radius:.5rem}mark{background:#f603}'

async function excerpt({ file, line }: SourcePlace): Promise<string> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  const first = Math.max(0, line - 1 - AROUND)
  const shown = lines.slice(first, line + AROUND).map((text, index) => {
    const number = first + index + 1
    const row = `${String(number).padStart(4)}  ${escapeHtml(text)}`
    return number === line ? `<mark>${row}</mark>` : row
  })
  return `<pre>${shown.join('\n')}</pre>`
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
