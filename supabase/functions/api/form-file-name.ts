import { line } from '../_shared/mail/user-text.ts'

/** Bytes in which the part with the file has to begin. */
const HEAD = 65_536
const PART = /\r\ncontent-disposition:[^\r\n]*[; ]name="?file"?(?=[;\r\s])[^\r\n]*/i
const NAME = /;\s*filename="((?:[^"\\\r\n]|\\.)*)"|;\s*filename=([^;"\r\n]+)/i
const ENCODED_NAME = /;\s*filename\*=utf-8'[^']*'([^;\r\n]+)/i

/** The name of the part `file` in a form (RFC 7578), whole and on one line: Deno's own parser ends it at a semicolon, and leaves what
 *  browsers encode in it.
 *  @param request A copy whose body nobody else reads.
 *  @returns undefined when there is none. */
export async function formFileName(request: Request): Promise<string | undefined> {
  let head = new Uint8Array()
  for await (const chunk of request.body ?? []) {
    head = new Uint8Array([...head, ...chunk.subarray(0, HEAD)])
    if (head.length >= HEAD) break
  }
  const [part = ''] = PART.exec(`\r\n${new TextDecoder().decode(head)}`) ?? []
  const [, quoted, bare] = NAME.exec(part) ?? []
  const name = decoded(ENCODED_NAME.exec(part)?.[1]) ?? quoted?.replace(/\\(["\\])/g, '$1') ?? bare
  // Browsers encode these three only, so that any other sign of percent is one.
  return name && line(name.replaceAll('%22', '"').replaceAll(/%0[DA]/gi, ' '))
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text)
  } catch {
    return undefined
  }
}
